#!/bin/sh
# A genuine MySQL for conformance tests where the distribution has MariaDB only, without root: Debian unstable's packages,
# unpacked into a folder, and a script FOLDER/mysqld that starts the server from there. For INTERCODE_MYSQLD.
# usage: scripts/genuine_mysql.sh FOLDER [DEBIAN-MIRROR]
set -eu
[ $# -ge 1 ] || { sed -n 4p "$0" >&2; exit 2; }
mkdir -p "$1" && cd "$1" && here=$(pwd)
mkdir -p state/lists/partial cache/archives/partial etc root
ours=$(cat /etc/apt/sources.list /etc/apt/sources.list.d/* 2>/dev/null | grep -v '^ *#' | grep -oE 'https?://[^ ]*/debian/?' | head -1 || true)
mirror=${2:-${ours:-https://deb.debian.org/debian}}
echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror sid main" > etc/sid.list
: > state/status

apt() {  # with everything of its own, and nothing of this machine's but its network settings
    apt-get -qq -o Dir::State="$here/state" -o Dir::State::status="$here/state/status" -o Dir::Cache="$here/cache" \
        -o Dir::Etc::sourcelist="$here/etc/sid.list" -o Dir::Etc::sourceparts=- -o Debug::NoLocking=1 \
        -o APT::Sandbox::User= "$@"
}
apt update
apt -y --no-install-recommends --download-only install mysql-server-core
for package in cache/archives/*.deb; do dpkg -x "$package" root; done

lib=$(dirname "$(find "$here/root" -path '*-linux-gnu*/libc.so.6' | head -1)")
share=$here/root/usr/share/mysql
cat > mysqld <<END
#!/bin/sh
exec $(find "$lib" -name 'ld-linux*' | head -1) --library-path $lib:$here/root/usr/lib/mysql/private $here/root/usr/sbin/mysqld \\
    --no-defaults --lc-messages-dir=$share --character-sets-dir=$share/charsets \\
    --plugin-dir=$here/root/usr/lib/mysql/plugin "\$@"
END
chmod +x mysqld
./mysqld --version
echo "now: INTERCODE_MYSQLD=$here/mysqld intercode replay … --database mysql"
