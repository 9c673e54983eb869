# Sourced by the scripts of tools/: puts the CUDA toolkit's nvcc on the PATH, or says what is missing.
if ! command -v nvcc >/dev/null; then
  for dir in "${CUDA_HOME:-}" "${CUDA_PATH:-}" /usr/local/cuda; do
    if [ -n "$dir" ] && [ -x "$dir/bin/nvcc" ]; then
      export PATH="$dir/bin:$PATH"
      break
    fi
  done
fi
if ! command -v nvcc >/dev/null; then
  echo "$(basename "$0"): no CUDA toolkit found: install CUDA 12.4 or newer, or set CUDA_HOME" >&2
  exit 2
fi
