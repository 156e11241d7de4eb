# SPDX-License-Identifier: Apache-2.0
# The parts of an installation besides the program and its libraries, and the Debian package.

# For CMake and pkg-config. Both find the files relative to their own place, so that an installation can be moved.
include(CMakePackageConfigHelpers)
set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/autotune)
configure_package_config_file(cmake/autotuneConfig.cmake.in autotuneConfig.cmake
  INSTALL_DESTINATION ${package_folder}
  PATH_VARS CMAKE_INSTALL_BINDIR CMAKE_INSTALL_LIBDIR CMAKE_INSTALL_INCLUDEDIR)
write_basic_package_version_file(autotuneConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/autotuneConfig.cmake
  ${PROJECT_BINARY_DIR}/autotuneConfigVersion.cmake cmake/autotuneEnable.cmake
  DESTINATION ${package_folder})
set(package_folder ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
file(RELATIVE_PATH AUTOTUNE_UP /prefix/${package_folder} /prefix)
string(REGEX REPLACE "/$" "" AUTOTUNE_UP "${AUTOTUNE_UP}")
configure_file(cmake/autotune.pc.in autotune.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/autotune.pc DESTINATION ${package_folder})

# Completion of shells.
set(completion ${PROJECT_SOURCE_DIR}/cmake/completion)
install(FILES ${completion}/autotune.bash RENAME autotune
  DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
foreach(folder site-functions vendor-completions) # Debian's zsh looks into the latter only, below /usr
  install(FILES ${completion}/_autotune DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/${folder})
endforeach()
install(FILES ${completion}/autotune.fish
  DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)

# Manual pages. The commands describe their options themselves.
set(manual ${PROJECT_SOURCE_DIR}/docs/man)
add_custom_command(OUTPUT autotune.1
  COMMAND ${CMAKE_COMMAND} -E env ASAN_OPTIONS=detect_leaks=0
    sh ${manual}/commands.sh $<TARGET_FILE:autotune> ${manual}/autotune.1.in autotune.1
  DEPENDS autotune ${manual}/autotune.1.in ${manual}/commands.sh VERBATIM)
add_custom_target(manual ALL DEPENDS autotune.1)
install(FILES ${PROJECT_BINARY_DIR}/autotune.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES ${manual}/libautotune.3 DESTINATION ${CMAKE_INSTALL_MANDIR}/man3)
install(FILES ${manual}/autotune-pragmas.7 DESTINATION ${CMAKE_INSTALL_MANDIR}/man7)

# The schema of `autotune report --json`, for programs that read it.
install(FILES docs/report.schema.json DESTINATION ${CMAKE_INSTALL_DATADIR}/autotune)

# `cpack` in the build folder. dpkg-shlibdeps does not see libraries that are opened at run time.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME autotune)
set(CPACK_PACKAGE_CONTACT "the autotune project <autotune@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "tunes C and CUDA kernels that stand under a pragma")
set(CPACK_PACKAGE_DESCRIPTION "The first call of a kernel under #pragma autotune tries variants of it on \
the program's own data, keeps the fastest that is right, and remembers it.")
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_DEPENDS "clang-22, libllvm22, libomp-22-dev")
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "gcc, libc6-dev")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "bash-completion, pkg-config, cmake")
include(CPack)
