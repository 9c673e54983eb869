# A folder of libslowtoken.so: compiled so that it can live in a stranger's process (docs/HOST_SAFETY.md rule 1).
# The same archive is linked into the offline tools and tests: there is one copy of the code.
function(slowtoken_host_safe_library target)
  add_library(${target} STATIC ${ARGN})
  target_include_directories(${target} PUBLIC ${CMAKE_SOURCE_DIR}/libprof ${CMAKE_SOURCE_DIR}/libprof/include)
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON CXX_VISIBILITY_PRESET hidden
    C_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
  target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-fno-exceptions -fno-rtti -fno-threadsafe-statics
    -fno-asynchronous-unwind-tables> -ftls-model=global-dynamic
    $<$<CXX_COMPILER_ID:GNU>:-fno-tree-slp-vectorize>)  # g++ packs the members of events with shuffles: slower
  slowtoken_warnings(${target})
endfunction()

# A folder of the offline half: an ordinary C++ library.
function(slowtoken_offline_library target)
  add_library(${target} STATIC ${ARGN})
  target_include_directories(${target} PUBLIC ${CMAKE_SOURCE_DIR}/libprof ${CMAKE_SOURCE_DIR}/libprof/include)
  slowtoken_warnings(${target})
  slowtoken_unity(${target})
endfunction()
