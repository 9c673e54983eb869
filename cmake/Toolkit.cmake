# Finds the CUDA toolkit. Only headers are used at build time (CUPTI, NVTX3, CUDA); nothing of ours links a CUDA library.
find_package(CUDAToolkit 12.4 REQUIRED)
find_path(SLOWTOKEN_CUPTI_INCLUDE cupti.h
  HINTS ${CUDAToolkit_INCLUDE_DIRS} ${CUDAToolkit_TARGET_DIR}/include
        ${CUDAToolkit_TARGET_DIR}/../../extras/CUPTI/include ${CUDAToolkit_LIBRARY_ROOT}/extras/CUPTI/include REQUIRED)

add_library(slowtoken_toolkit_headers INTERFACE)
target_include_directories(slowtoken_toolkit_headers SYSTEM INTERFACE ${CUDAToolkit_INCLUDE_DIRS} ${SLOWTOKEN_CUPTI_INCLUDE})
