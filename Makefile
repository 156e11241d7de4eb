# SPDX-License-Identifier: Apache-2.0
# Fronts CMake. `make demo` and `make check` are each complete on a fresh Debian 12 machine.

PRESET ?= release
BUILD = build$(if $(filter-out release,$(PRESET)),-$(PRESET))

all: build

setup:
	@cmake/setup.sh

$(BUILD)/build.ninja: | setup
	@cmake --preset $(PRESET) --log-level=WARNING

build: setup $(BUILD)/build.ninja
	@cmake --build $(BUILD) -- --quiet

demo: build
	@bench/demo.sh $(BUILD)

check: build
	@tests/check.sh $(BUILD)

bench: build
	@bench/bench.sh $(BUILD)

install: build
	@cmake --install $(BUILD)

# A Debian package, in the build folder.
deb: build
	@cd $(BUILD) && cpack -G DEB

clean:
	rm -rf build build-*

.PHONY: all setup build demo check bench install deb clean
