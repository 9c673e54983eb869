# slowtoken::headers: the public headers. Nothing is linked. llmserve.h needs NVTX3's, taken from the CUDA toolkit where
# that is found; else have them on the include path.
if(NOT TARGET slowtoken::headers)
  get_filename_component(slowtoken_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
  add_library(slowtoken::headers INTERFACE IMPORTED)
  target_include_directories(slowtoken::headers INTERFACE "${slowtoken_prefix}/include")
  find_package(CUDAToolkit QUIET)
  if(CUDAToolkit_FOUND)
    target_include_directories(slowtoken::headers INTERFACE ${CUDAToolkit_INCLUDE_DIRS})
  endif()
  set(slowtoken_LIBRARY "${slowtoken_prefix}/lib/libslowtoken.so")
endif()
