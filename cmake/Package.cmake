# What `cmake --install` puts under a prefix; tools/dev/tarball packs the same. Everything finds the rest relative to
# itself: the folder may be moved as a whole. The folder of the library is lib/ everywhere, as the command looks there.
install(TARGETS slowtoken_injection LIBRARY DESTINATION lib COMPONENT slowtoken)
if(SLOWTOKEN_BUILD_OFFLINE)
  install(TARGETS slowtoken RUNTIME DESTINATION bin COMPONENT slowtoken)
endif()
install(DIRECTORY libprof/include/slowtoken DESTINATION include COMPONENT slowtoken FILES_MATCHING PATTERN "*.h")
install(FILES docs/INSTALLED.md DESTINATION share/doc/slowtoken RENAME README.md COMPONENT slowtoken)
install(FILES docs/DEPLOY.md docs/ENVIRONMENT.md docs/CONTROL.md docs/IMPORT.md docs/METRICS.md docs/ATTRIBUTION.md docs/NEXT_STEPS.md docs/TRACE_FORMAT.md
  docs/HOST_SAFETY.md docs/RULES.md DESTINATION share/doc/slowtoken COMPONENT slowtoken)
install(DIRECTORY docs/engines DESTINATION share/doc/slowtoken COMPONENT slowtoken FILES_MATCHING PATTERN "*.md")
install(DIRECTORY tools/plugins/ DESTINATION share/slowtoken/plugins COMPONENT slowtoken
  FILES_MATCHING PATTERN "*.py" PATTERN "METADATA" PATTERN "entry_points.txt" PATTERN "README.md")
install(FILES proto/slowtoken/v1/trace.proto DESTINATION share/slowtoken/proto/slowtoken/v1 COMPONENT slowtoken)

# For other projects: find_package(slowtoken) gives slowtoken::headers; pkg-config gives the same.
configure_file(cmake/slowtoken.pc.in ${CMAKE_BINARY_DIR}/slowtoken.pc @ONLY)
include(CMakePackageConfigHelpers)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/slowtoken-config-version.cmake COMPATIBILITY SameMajorVersion ARCH_INDEPENDENT)
install(FILES ${CMAKE_BINARY_DIR}/slowtoken.pc DESTINATION lib/pkgconfig COMPONENT slowtoken)
install(FILES cmake/slowtoken-config.cmake ${CMAKE_BINARY_DIR}/slowtoken-config-version.cmake DESTINATION lib/cmake/slowtoken
  COMPONENT slowtoken)
