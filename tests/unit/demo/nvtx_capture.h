// A tool for tests: linked into the program, it attaches to NVTX in place of an injected library and writes down each
// call. One thread at a time.
#pragma once

#include <string>
#include <vector>

// What was called since the last call of this, oldest first: "mark TEXT", "push TEXT", "pop", "begin N TEXT", "end N".
// All are calls in the domain "llmserve"; one in another domain has "DOMAIN/" in front.
std::vector<std::string> TakeCaptured();

// How often the domain was created.
int DomainsCreated();
