# make build   leaves build/bin/summand
# make demo    runs the main job on a real model
# make test    runs every test, the references included
.PHONY: build demo test format

ctest = ctest --test-dir build --output-on-failure --no-tests=error

build:
	@scripts/install_debian_packages
	@scripts/install_python_packages demo
	@[ -e build/build.ninja ] || cmake --preset release -Wno-dev
	@cmake --build build

demo: build
	@scripts/demo

test: build
	@scripts/install_python_packages tests
	@$(ctest)

format:
	clang-format-14 -i $$(git ls-files '*.cpp' '*.hpp')
