#include <bactrian/bactrian.h>

#include <iostream>

int main(int argc, char** argv) {
  auto session = bactrian::Session::Make({}).ValueOrDie();
  auto catalog = session->OpenCatalog({.warehouse = argv[1]}).ValueOrDie();
  auto status = catalog->CreateDatabase("db", /*ignore_if_exists=*/true);
  std::cout << (status.ok() ? catalog->ListDatabases().ValueOrDie().at(0) : status.ToString()) << "\n";
}
