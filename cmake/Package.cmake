# SPDX-License-Identifier: Apache-2.0
# The parts of an installation besides the program, its libraries and headers.

# For CMake and pkg-config. Both find the files relative to their own place, so that an installation can be moved.
include(CMakePackageConfigHelpers)
write_basic_package_version_file(autotuneConfigVersion.cmake COMPATIBILITY SameMinorVersion)
# autotune_for_builds(LIBDIR FOLDER INSTALL_ARGS…): the files for libraries in LIBDIR, made in FOLDER.
function(autotune_for_builds CMAKE_INSTALL_LIBDIR folder)
  set(cmake_folder ${CMAKE_INSTALL_LIBDIR}/cmake/autotune)
  configure_package_config_file(cmake/autotuneConfig.cmake.in ${folder}/autotuneConfig.cmake
    INSTALL_DESTINATION ${cmake_folder} PATH_VARS CMAKE_INSTALL_BINDIR CMAKE_INSTALL_LIBDIR CMAKE_INSTALL_INCLUDEDIR)
  install(FILES ${folder}/autotuneConfig.cmake ${PROJECT_BINARY_DIR}/autotuneConfigVersion.cmake
    cmake/autotuneEnable.cmake DESTINATION ${cmake_folder} ${ARGN})
  file(RELATIVE_PATH AUTOTUNE_UP /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
  string(REGEX REPLACE "/$" "" AUTOTUNE_UP "${AUTOTUNE_UP}")
  configure_file(cmake/autotune.pc.in ${folder}/autotune.pc @ONLY)
  install(FILES ${folder}/autotune.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig ${ARGN})
endfunction()
autotune_for_builds(${CMAKE_INSTALL_LIBDIR} ${PROJECT_BINARY_DIR})
autotune_for_builds(${AUTOTUNE_LIBDIR} ${PROJECT_BINARY_DIR}/debian COMPONENT libautotune-dev EXCLUDE_FROM_ALL)

# Completion of shells.
set(completion ${PROJECT_SOURCE_DIR}/cmake/completion)
install(FILES ${completion}/autotune.bash RENAME autotune
  DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions COMPONENT autotune)
install(FILES ${completion}/_autotune DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
# Debian's zsh looks into this folder only, below /usr.
install(FILES ${completion}/_autotune DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions COMPONENT autotune)
install(FILES ${completion}/autotune.fish
  DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d COMPONENT autotune)

# Manual pages. The commands describe their options themselves.
set(manual ${PROJECT_SOURCE_DIR}/docs/man)
add_custom_command(OUTPUT autotune.1
  COMMAND ${CMAKE_COMMAND} -E env ASAN_OPTIONS=detect_leaks=0
    sh ${manual}/commands.sh $<TARGET_FILE:autotune> ${manual}/autotune.1.in autotune.1
  DEPENDS autotune ${manual}/autotune.1.in ${manual}/commands.sh VERBATIM)
add_custom_target(autotune_manual ALL DEPENDS autotune.1)
install(FILES ${PROJECT_BINARY_DIR}/autotune.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT autotune)
install(FILES ${manual}/libautotune.3 DESTINATION ${CMAKE_INSTALL_MANDIR}/man3 COMPONENT libautotune-dev)
install(FILES ${manual}/autotune-pragmas.7 DESTINATION ${CMAKE_INSTALL_MANDIR}/man7 COMPONENT autotune)

# The schema of `autotune report --json`, for programs that read it.
install(FILES docs/report.schema.json DESTINATION ${CMAKE_INSTALL_DATADIR}/autotune COMPONENT autotune)

# Debian packages have the pages and examples, laid out as here, so that their links work.
set(documents DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/autotune COMPONENT autotune EXCLUDE_FROM_ALL)
install(FILES README.md ${documents})
install(DIRECTORY examples ${documents})
install(DIRECTORY docs ${documents}
  FILES_MATCHING PATTERN "*.md" PATTERN "*.png" PATTERN "*.svg" PATTERN man EXCLUDE)
