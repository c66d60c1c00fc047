# make build   leaves build/bin/summand
# make demo    runs the main job on a real model
# make test    runs every test, the references included
.PHONY: configure build demo test format

configure:
	@scripts/install_debian_packages
	@scripts/install_python_packages demo
	@[ -e build/build.ninja ] || cmake --preset release

build: configure
	@cmake --build build --target summand

demo: build
	@scripts/demo

test: configure
	@scripts/install_python_packages tests
	@cmake --build build
	@ctest --test-dir build --output-on-failure --no-tests=error --parallel 2

format:
	clang-format-14 -i $$(git ls-files '*.cpp' '*.hpp')
