# slowtoken_nvcc_executable(name SOURCES file.cu ... [LIBS target ...] [INCLUDES dir ...] [OPTIONS opt ...] [LINK_OPTIONS opt ...]
#                           [OUTPUT_DIRECTORY dir])
# A CUDA program built by nvcc with the shared runtime (-cudart shared), sm_90 code plus PTX (so a later GPU can run it too), C++20.
# It wraps nvcc in custom commands, so configuring needs no CUDA language and no GPU. LIBS takes library targets
# (static, shared, imported), paths and bare names (-l is put before them). The program is written to ${CMAKE_BINARY_DIR}/bin unless OUTPUT_DIRECTORY says otherwise; it has no rpath to the
# toolkit: run it with LD_LIBRARY_PATH naming either the simulated GPU (${CMAKE_BINARY_DIR}/lib/simgpu) or a real CUDA runtime.
# Creates the custom target <name>, with the property NVCC_OUTPUT = path of the program.
function(slowtoken_nvcc_executable name)
  cmake_parse_arguments(ARG "" "OUTPUT_DIRECTORY" "SOURCES;LIBS;INCLUDES;OPTIONS;LINK_OPTIONS" ${ARGN})
  if(NOT ARG_OUTPUT_DIRECTORY)
    set(ARG_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
  endif()
  # Lightly optimised and with line numbers alone, as what these programs do is launch: the rest is GoogleTest.
  set(flags -std=c++20 -O1 -Xcompiler=-g1 -lineinfo -ccbin ${CMAKE_CXX_COMPILER} -gencode arch=compute_90,code=sm_90
    -gencode arch=compute_90,code=compute_90 -Wno-deprecated-gpu-targets -Xcompiler=-Wall,-Wextra,-Werror,-Wno-unused-parameter
    ${ARG_OPTIONS})
  # A sanitizer build: the program must carry the same run-time library as the stand-ins it loads.
  string(REGEX MATCHALL "-fsanitize=[^ ]+" sanitizers "${CMAKE_CXX_FLAGS}")
  foreach(sanitizer IN LISTS sanitizers)
    string(REPLACE "," "\\," sanitizer "${sanitizer}")
    list(APPEND flags -Xcompiler=${sanitizer})
  endforeach()
  set(includes -I${CMAKE_SOURCE_DIR}/libprof/include)
  foreach(dir IN LISTS ARG_INCLUDES)
    list(APPEND includes -I${dir})
  endforeach()
  set(objects "")
  foreach(source IN LISTS ARG_SOURCES)
    cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} NORMALIZE OUTPUT_VARIABLE path)
    cmake_path(GET path FILENAME leaf)
    set(object ${CMAKE_CURRENT_BINARY_DIR}/${name}.dir/${leaf}.o)
    add_custom_command(OUTPUT ${object}
      COMMAND ${CMAKE_COMMAND} -E make_directory ${CMAKE_CURRENT_BINARY_DIR}/${name}.dir
      COMMAND ${CUDAToolkit_NVCC_EXECUTABLE} ${flags} ${includes} -MD -MF ${object}.d -MT ${object} -c ${path} -o ${object}
      DEPENDS ${path} DEPFILE ${object}.d COMMENT "nvcc ${leaf}" VERBATIM COMMAND_EXPAND_LISTS)
    list(APPEND objects ${object})
  endforeach()
  set(libraries "")
  set(depends "")
  foreach(lib IN LISTS ARG_LIBS)
    if(TARGET ${lib})
      get_target_property(type ${lib} TYPE)
      if(type STREQUAL "SHARED_LIBRARY")
        list(APPEND libraries -Xlinker)  # nvcc does not take a versioned name as an input file
      endif()
      list(APPEND libraries $<TARGET_LINKER_FILE:${lib}>)
      list(APPEND depends ${lib})
    elseif(lib MATCHES "\\.so\\.[0-9.]+$")
      list(APPEND libraries -Xlinker ${lib})
    elseif(lib MATCHES "/|^-")
      list(APPEND libraries ${lib})
    else()
      list(APPEND libraries -l${lib})
    endif()
  endforeach()
  set(output ${ARG_OUTPUT_DIRECTORY}/${name})
  add_custom_command(OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${ARG_OUTPUT_DIRECTORY}
    COMMAND ${CUDAToolkit_NVCC_EXECUTABLE} ${flags} -cudart shared ${objects} ${libraries} ${ARG_LINK_OPTIONS} -o ${output}
    DEPENDS ${objects} ${depends} COMMENT "nvcc link ${name}" VERBATIM COMMAND_EXPAND_LISTS)
  add_custom_target(${name} ALL DEPENDS ${output})
  set_target_properties(${name} PROPERTIES NVCC_OUTPUT ${output})
endfunction()
