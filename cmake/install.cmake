# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Installs the headers, the library of lathe::compiled and the files that find_package(lathe) reads.
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

set(lathe_package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/lathe")

install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/lathe" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}"
        FILES_MATCHING PATTERN "*.hpp" PATTERN "*.ipp" PATTERN "*.md")
install(TARGETS lathe lathe_compiled EXPORT lathe_targets
        ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}" INCLUDES DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
install(EXPORT lathe_targets FILE lathe-targets.cmake NAMESPACE lathe:: DESTINATION "${lathe_package_dir}")

configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/lathe-config.cmake.in" "${PROJECT_BINARY_DIR}/lathe-config.cmake"
                              INSTALL_DESTINATION "${lathe_package_dir}")
# While the major version is 0, a minor version may break source.
write_basic_package_version_file("${PROJECT_BINARY_DIR}/lathe-config-version.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/lathe-config.cmake" "${PROJECT_BINARY_DIR}/lathe-config-version.cmake"
        DESTINATION "${lathe_package_dir}")
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" DESTINATION "${CMAKE_INSTALL_DATADIR}/doc/lathe")
