# make build   leaves build/bin/summand, and what `cmake --install build --prefix DIR` installs
# make demo    runs the main job on a real model
# make test    runs every test, the references included
.PHONY: configure build demo test format

configure:
	@scripts/install_debian_packages
	@scripts/install_python_packages demo
	@[ -e build/build.ninja ] || cmake --preset release

build: configure
	@cmake --build build --target summand summand_library

demo: build
	@scripts/demo

test: configure
	@scripts/install_debian_packages tests
	@scripts/install_python_packages tests
	@cmake --build build
	@ctest --test-dir build --output-on-failure --no-tests=error --parallel 2

format:
	clang-format-14 -i $$(git ls-files '*.cpp' '*.hpp')
