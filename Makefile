# SPDX-License-Identifier: Apache-2.0
# Fronts CMake. `make`, `make demo` and `make check` are each complete on a fresh Debian 12 machine.

PRESET ?= release
BUILD = build$(if $(filter-out release,$(PRESET)),-$(PRESET))

all: build

# The developers' presets have the tests, and so need their packages.
setup:
	@cmake/setup.sh $(if $(filter-out release,$(PRESET)),tests)

$(BUILD)/build.ninja: | setup
	@cmake --preset $(PRESET) --log-level=WARNING

build: setup $(BUILD)/build.ninja
	@cmake --build $(BUILD) -- --quiet

# In the same folder, with the tests.
tests:
	@cmake/setup.sh tests
	@if ! [ -f $(BUILD)/build.ninja ]; then cmake --preset $(PRESET) --log-level=WARNING -DAUTOTUNE_TESTS=ON; \
	elif ! grep -q '^AUTOTUNE_TESTS:[A-Z]*=ON$$' $(BUILD)/CMakeCache.txt; then \
	  cmake --log-level=WARNING -DAUTOTUNE_TESTS=ON $(BUILD); fi
	@cmake --build $(BUILD) -- --quiet

demo: build
	@bench/demo.sh $(BUILD)

check: tests
	@tests/check.sh $(BUILD)

bench: tests
	@bench/bench.sh $(BUILD)

# PREFIX is /usr/local unless given. Tests write build/install_manifest.txt anew, so `make uninstall` has a
# list of its own.
install: build
	@DESTDIR='$(DESTDIR)' cmake --install $(BUILD) $(if $(PREFIX),--prefix '$(PREFIX)')
	@cp $(BUILD)/install_manifest.txt $(BUILD)/installed.txt

uninstall:
	@DESTDIR='$(DESTDIR)' PREFIX='$(PREFIX)' cmake/uninstall.sh $(BUILD)

# The Debian packages, in the build folder.
deb: build
	@cmake/deb.sh $(BUILD)

# The sources with all that npm would fetch, in the build folder.
dist: build
	@cmake/dist.sh $(BUILD)

clean:
	rm -rf build build-*

.PHONY: all setup build tests demo check bench install uninstall deb dist clean
