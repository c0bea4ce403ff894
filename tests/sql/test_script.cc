#include "test_script.h"

#include <fstream>
#include <sstream>
#include <stdexcept>

namespace bactrian::sql_test {

namespace {

std::vector<std::string> Words(const std::string& line) {
  std::istringstream in(line);
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

std::string ReplaceAll(std::string text, const std::string& from, const std::string& to) {
  for (size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) text.replace(at, from.size(), to);
  return text;
}

class Parser {
 public:
  explicit Parser(const std::string& path) : path_(path) {
    std::ifstream in(path);
    if (!in) throw std::runtime_error("cannot read " + path);
    for (std::string line; std::getline(in, line);) lines_.push_back(line);
  }

  Script Parse() {
    Script script;
    while (next_ < lines_.size()) ParseBlock(script.commands, script.requirement);
    return script;
  }

 private:
  [[noreturn]] void Fail(const std::string& message) const {
    throw std::runtime_error(path_ + ":" + std::to_string(next_) + ": " + message);
  }

  static bool IsBlank(const std::string& line) { return line.find_first_not_of(" \t") == std::string::npos; }

  /// Lines up to a blank one, or up to `----` where `separator` allows one.
  std::string Paragraph(bool* separator = nullptr) {
    std::string text;
    while (next_ < lines_.size() && !IsBlank(lines_[next_])) {
      const std::string& line = lines_[next_++];
      if (separator != nullptr && line == "----") {
        *separator = true;
        return text;
      }
      text += (text.empty() ? "" : "\n") + line;
    }
    return text;
  }

  void ParseLoop(const std::vector<std::string>& words, std::vector<Command>& commands, std::string& requirement) {
    std::vector<std::string> values;
    if (words[0] == "foreach" && words.size() > 2) {
      values.assign(words.begin() + 2, words.end());
    } else if (words[0] == "loop" && words.size() == 4) {
      for (int i = std::stoi(words[2]); i < std::stoi(words[3]); ++i) values.push_back(std::to_string(i));
    } else {
      Fail("loop NAME FIRST END, or foreach NAME VALUE…");
    }
    std::vector<Command> body;
    while (next_ < lines_.size() && lines_[next_] != "endloop") ParseBlock(body, requirement);
    if (next_ == lines_.size()) Fail("loop without endloop");
    ++next_;
    for (const std::string& value : values) {
      for (Command command : body) {
        for (std::string* text : {&command.sql, &command.expected, &command.argument}) {
          *text = ReplaceAll(*text, "${" + words[1] + "}", value);
        }
        commands.push_back(std::move(command));
      }
    }
  }

  void ParseBlock(std::vector<Command>& commands, std::string& requirement) {
    std::string line = lines_[next_++];
    if (IsBlank(line) || line[0] == '#') return;
    std::vector<std::string> words = Words(line);
    Command command;
    if (words[0] == "onlyif") {
      if (words.size() != 3 || words[1] != "duckdb" || next_ == lines_.size()) Fail("onlyif duckdb MAJOR, then a command");
      command.duckdb_major = std::stoi(words[2]);
      line = lines_[next_++];
      words = Words(line);
      if (words.empty()) Fail("onlyif without a command");
    }
    command.line = static_cast<int>(next_);
    if (words[0] == "require" && words.size() == 2) {
      requirement = words[1];
      return;
    }
    if (words[0] == "loop" || words[0] == "foreach") return ParseLoop(words, commands, requirement);
    if (words[0] == "restart") {
      command.kind = CommandKind::kRestart;
    } else if (line == "statement ok") {
      command.sql = Paragraph();
    } else if (line == "statement error") {
      command.kind = CommandKind::kStatementError;
      bool separator = false;
      command.sql = Paragraph(&separator);
      command.expected = Paragraph();
      if (command.expected.empty()) Fail("statement error without ---- and a part of the message");
    } else if (words[0] == "query") {
      command.kind = CommandKind::kQuery;
      command.sort_rows = words.size() == 2 && words[1] == "rowsort";
      bool separator = false;
      command.sql = Paragraph(&separator);
      if (!separator) Fail("query without ----");
      command.expected = Paragraph();
    } else if (words[0] == "files-read" && words.size() == 2) {
      command.kind = CommandKind::kFilesRead;
      command.argument = words[1];
      command.sql = Paragraph();
    } else {
      Fail("unknown command: " + line);
    }
    commands.push_back(std::move(command));
  }

  std::string path_;
  std::vector<std::string> lines_;
  size_t next_ = 0;
};

}  // namespace

Script ParseScript(const std::string& path) { return Parser(path).Parse(); }

}  // namespace bactrian::sql_test
