#!/bin/sh
# Install Python packages with uv, into .venv or the environment of the Python that INTO names:
# scripts/install.sh ARGUMENTS OF uv pip install.
#
# uv comes with certificates of its own, which are of no use behind a proxy that has another authority. So it is told to
# trust what pip trusts: the file that pip was told of, else the system's certificates.
set -eu

export UV_SYSTEM_CERTS="${UV_SYSTEM_CERTS:-true}"
if [ -z "${SSL_CERT_FILE:-}" ]; then
    # from PIP_CERT or a file: `global.cert='/a/file.pem'`
    pip_cert=$(.venv/bin/python -m pip config list 2>/dev/null | sed -n "s/^[a-z:]*\.cert='\(.*\)'$/\1/p" | head -1)
    [ -z "$pip_cert" ] || export SSL_CERT_FILE="$pip_cert"
fi

log=$(mktemp)
trap 'rm -f "$log"' EXIT
.venv/bin/uv pip install --quiet --python "${INTO:-.venv/bin/python}" "$@" 2>"$log" && exit 0
cat "$log" >&2
if grep -qi certificate "$log"; then
    echo "Behind a proxy? Its certificate is neither among the system's (sudo update-ca-certificates adds it) nor in the
file that SSL_CERT_FILE or PIP_CERT names: make it known in one of these ways, then run make again." >&2
fi
exit 1
