#include "tpcds_compare.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <vector>

#include "failure.h"

namespace bactrian::cli {

namespace {

using Json = nlohmann::ordered_json;

/// What one file says about one query.
struct Query {
  std::vector<double> executions;               ///< milliseconds, one a measured iteration
  double planning = 0, execution = 0, cpu = 0;  ///< medians, milliseconds
  int64_t rows = 0;
  std::string hash;
  bool stable = true;  ///< all iterations returned the same
  std::string error;
};

struct Runs {
  std::string source;
  int64_t files = 0, bytes = 0;
  std::map<int, Query> queries;
};

double Median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

double MedianOf(const Json& runs, const char* key) {
  std::vector<double> values;
  for (const Json& run : runs) values.push_back(run.value(key, 0.0));
  return Median(std::move(values));
}

Query ReadQuery(const Json& json) {
  Query query;
  query.error = json.value("error", "");
  const Json& runs = json.at("runs");
  for (const Json& run : runs) {
    query.executions.push_back(run.value("execution_ms", 0.0));
    const int64_t rows = run.value("rows", int64_t{0});
    const std::string hash = run.value("hash", "");
    if (query.executions.size() > 1) query.stable &= rows == query.rows && hash == query.hash;
    query.rows = rows;
    query.hash = hash;
  }
  query.planning = MedianOf(runs, "planning_ms");
  query.execution = MedianOf(runs, "execution_ms");
  query.cpu = MedianOf(runs, "cpu_ms");
  if (query.error.empty() && runs.empty()) query.error = "not run";
  return query;
}

Runs ReadRuns(const std::string& path) {
  std::ifstream in(path);
  const std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  const Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object() || !json.contains("queries")) throw Failure(path + " is no output of tpcds run");
  Runs runs;
  try {
    runs.source = json.value("source", "?");
    if (json.contains("data")) {
      runs.files = json["data"].value("files", int64_t{0});
      runs.bytes = json["data"].value("bytes", int64_t{0});
    }
    for (const Json& query : json["queries"]) runs.queries[query.at("query").get<int>()] = ReadQuery(query);
  } catch (const Json::exception& error) {
    throw Failure(path + " is no output of tpcds run: " + error.what());
  }
  return runs;
}

/// One query that both ran, or that one of them did not.
struct Line {
  int number;
  const Query *a, *b;
  std::string verdict;  ///< "equal", or what is wrong
  bool both() const { return a != nullptr && b != nullptr && a->error.empty() && b->error.empty(); }
  double ratio() const { return a->execution / b->execution; }
};

std::string Verdict(const Query* a, const Query* b) {
  if (a == nullptr || b == nullptr) return a == nullptr ? "not in A" : "not in B";
  if (!a->error.empty() || !b->error.empty()) return a->error.empty() ? "failed in B" : "failed in A";
  if (!a->stable || !b->stable) return a->stable ? "changes in B" : "changes in A";
  if (a->rows != b->rows) return "ROWS DIFFER: " + std::to_string(a->rows) + ", " + std::to_string(b->rows);
  return a->hash == b->hash ? "equal" : "VALUES DIFFER";
}

std::vector<Line> Pair(const Runs& a, const Runs& b) {
  const auto find = [](const Runs& runs, int number) {
    const auto found = runs.queries.find(number);
    return found == runs.queries.end() ? nullptr : &found->second;
  };
  std::vector<Line> lines;
  for (int number = 1; number <= 99; ++number) {
    const Query *in_a = find(a, number), *in_b = find(b, number);
    if (in_a != nullptr || in_b != nullptr) lines.push_back({number, in_a, in_b, Verdict(in_a, in_b)});
  }
  return lines;
}

/// The median, over the iterations, of the sum of all executions of one iteration.
double Total(const std::vector<Line>& lines, const Query* Line::*side) {
  size_t iterations = SIZE_MAX;
  for (const Line& line : lines) {
    if (line.both()) iterations = std::min(iterations, (line.*side)->executions.size());
  }
  if (iterations == SIZE_MAX) return 0;
  std::vector<double> totals(iterations, 0.0);
  for (const Line& line : lines) {
    if (!line.both()) continue;
    for (size_t i = 0; i < iterations; ++i) totals[i] += (line.*side)->executions[i];
  }
  return Median(std::move(totals));
}

double Sum(const std::vector<Line>& lines, const Query* Line::*side, double Query::*figure) {
  double sum = 0;
  for (const Line& line : lines) {
    if (line.both()) sum += (line.*side)->*figure;
  }
  return sum;
}

std::string Format(const char* format, double value) {
  char text[64];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

/// Bars from the line of 1.0 to each query's ratio, on a logarithmic scale from a quarter to four.
void DrawChart(const std::string& path, const std::string& title, const std::vector<Line>& lines) {
  constexpr int kBar = 11, kTop = 46, kLeft = 60, kWidth = 640, kLabels = 90;
  const auto x_of = [](double ratio) { return kLeft + kWidth * (std::log2(std::clamp(ratio, 0.25, 4.0)) + 2) / 4; };
  const int height = kTop + kBar * static_cast<int>(lines.size()) + 20;
  std::ostringstream svg;
  svg << "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" << kLeft + kWidth + kLabels << "\" height=\"" << height
      << "\" font-family=\"sans-serif\" font-size=\"9\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n<text x=\""
      << kLeft << "\" y=\"18\" font-size=\"13\">" << title << "</text>\n";
  for (const double mark : {0.25, 0.5, 1.0, 2.0, 4.0}) {
    svg << "<line x1=\"" << x_of(mark) << "\" x2=\"" << x_of(mark) << "\" y1=\"" << kTop - 6 << "\" y2=\"" << height - 14
        << "\" stroke=\"" << (mark == 1.0 ? "black" : "#ccc") << "\"/>\n<text x=\"" << x_of(mark) << "\" y=\"" << kTop - 10
        << "\" text-anchor=\"middle\">" << mark << "</text>\n";
  }
  int y = kTop;
  for (const Line& line : lines) {
    svg << "<text x=\"" << kLeft - 6 << "\" y=\"" << y + 8 << "\" text-anchor=\"end\">q" << line.number << "</text>\n";
    if (line.both() && line.b->execution > 0) {
      const double x = x_of(line.ratio());
      svg << "<rect x=\"" << std::min(x, x_of(1)) << "\" y=\"" << y << "\" width=\"" << std::abs(x - x_of(1)) << "\" height=\""
          << kBar - 3 << "\" fill=\"" << (line.ratio() > 1 ? "#c0504d" : "#4f9d69") << "\"/>\n<text x=\"" << kLeft + kWidth + 8
          << "\" y=\"" << y + 8 << "\">" << Format("%.2f", line.ratio()) << Format(" (%.0f ms)", line.a->execution)
          << "</text>\n";
    }
    y += kBar;
  }
  svg << "</svg>\n";
  std::ofstream out(path);
  out << svg.str();
  out.close();
  if (!out) throw Failure("cannot write " + path);
}

}  // namespace

bool CompareTpcds(const std::string& a_path, const std::string& b_path, const std::string& svg, std::ostream& out) {
  const Runs a = ReadRuns(a_path), b = ReadRuns(b_path);
  const std::vector<Line> lines = Pair(a, b);
  out << "A is " << a.source << " (" << a.files << " files, " << a.bytes << " bytes), B is " << b.source << " (" << b.files
      << " files, " << b.bytes << " bytes)\n\n| query | A ms | B ms | A/B | A planning | B planning | A CPU | B CPU | rows | "
      << "results |\n| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n";
  size_t equal = 0, faster = 0, both = 0;
  std::optional<Line> worst;
  for (const Line& line : lines) {
    equal += line.verdict == "equal";
    out << "| q" << line.number << " | ";
    if (line.both()) {
      ++both;
      faster += line.ratio() < 1;
      if (line.b->execution > 100 && (!worst || line.ratio() > worst->ratio())) worst = line;
      out << Format("%.1f | ", line.a->execution) << Format("%.1f | ", line.b->execution) << Format("%.3f | ", line.ratio())
          << Format("%.1f | ", line.a->planning) << Format("%.1f | ", line.b->planning) << Format("%.0f | ", line.a->cpu)
          << Format("%.0f | ", line.b->cpu) << line.a->rows;
    } else {
      out << "| | | | | | |";
    }
    out << " | " << line.verdict << " |\n";
  }
  const double total_a = Total(lines, &Line::a), total_b = Total(lines, &Line::b);
  const std::string total = Format("%.0f ms / ", total_a) + Format("%.0f ms = ", total_b) + Format("%.3f", total_a / total_b);
  out << "\ntotal of executions (median of the iterations): " << total
      << "\nCPU: " << Format("%.3f", Sum(lines, &Line::a, &Query::cpu) / Sum(lines, &Line::b, &Query::cpu))
      << ", planning: " << Format("%.0f ms / ", Sum(lines, &Line::a, &Query::planning))
      << Format("%.0f ms", Sum(lines, &Line::b, &Query::planning)) << "\nA faster in " << faster << " of " << both << '\n';
  if (worst) out << "worst over 100 ms: q" << worst->number << Format(" at %.3f", worst->ratio()) << '\n';
  out << equal << " equal, " << lines.size() - equal << " not\n";
  if (!svg.empty()) DrawChart(svg, a.source + " / " + b.source + ", total " + total, lines);
  return equal == lines.size();
}

}  // namespace bactrian::cli
