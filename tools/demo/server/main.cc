// slowtoken-demo: see tools/demo/README.md.
#include "server/options.h"
#include "server/roles.h"

int main(int argc, char** argv) {
  using namespace slowtoken::demo;
  Options options;
  int exit_code = 0;
  if (!ParseOptions(argc, argv, options, exit_code)) return exit_code;
  switch (options.role) {
    case Role::kEngine:
      return RunEngine(options);
    case Role::kScheduler:
      return RunScheduler(options);
    case Role::kWorker:
      return RunWorker(options);
    default:
      return RunFrontend(options);
  }
}
