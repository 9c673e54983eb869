// What this processor can do beyond the baseline the library is built for. Any thread; asked once, then a load.
#pragma once

namespace slowtoken::base {

// x86: SSE4.2, and with it SSSE3 and SSE4.1. False elsewhere.
bool HasSse42();

}  // namespace slowtoken::base
