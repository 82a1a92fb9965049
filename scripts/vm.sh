#!/bin/bash
# Run a command on a real Debian in a virtual machine: its own kernel, control groups of version 2, systemd, ordinary users.
#   scripts/vm.sh SUITE COMMAND      SUITE: bookworm (Linux 6.1), trixie (6.12), bullseye (5.10, Python too old for the tests)
# COMMAND runs as root in /src/project, a copy of this working tree with its virtual environment ready; `as_user COMMAND` in it
# runs as the ordinary user `tester`, in a session of systemd's. Ends with the command's status.
#
# The disk is made once for a suite and what the tests require, in $VM_CACHE, and is never written to: each run begins on the
# same machine. Where the processor has no virtual machines for us (/dev/kvm), it is emulated, some ten times slower.
# Needs root, mmdebstrap, mkfs.ext4, qemu-system-x86_64, 12 GB of disk for each suite. VM_SECONDS is the time limit of a run, VM_MEMORY its MiB.
set -euo pipefail
cd "$(dirname "$0")/.."
suite=${1:?which suite: bookworm, trixie or bullseye} command=${2:-scripts/vm_tests.sh}
seconds=${VM_SECONDS:-3600} memory=${VM_MEMORY:-6144}
work=$(mktemp -d /var/tmp/vm-XXXXXX)
trap 'rm -rf --one-file-system "$work"' EXIT

fail() { printf '%s\n' "$*" >&2; exit 2; }
for program in mmdebstrap mkfs.ext4 qemu-system-x86_64; do
    command -v "$program" >/dev/null || fail "$program is missing: apt-get install --no-install-recommends mmdebstrap e2fsprogs qemu-system-x86"
done

packages=linux-image-cloud-amd64,systemd-sysv,udev,dbus,dbus-user-session,libpam-systemd,iproute2,iptables,sudo,passwd,procps # a machine
packages+=,git,make,python3,python3-venv,ca-certificates                                                                        # a developer's
packages+=,bubblewrap,gcc,libc6-dev,uidmap,mmdebstrap,mariadb-server-core,mariadb-client-core,openssl,curl,xz-utils,bzip2       # ours (setup.sh)
packages+=,docker.io,podman,crun,fuse-overlayfs,slirp4netns,rootlesskit                                                         # engines, also rootless
[ "$suite" != trixie ] || packages+=,docker-cli
key=$({ echo "$packages"; cat requirements/*.txt; } | sha256sum | cut -c1-12)
machine=${VM_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/intercode-vm}/$suite-$key

# What lets this machine reach its package archives: settings and certificates of apt and pip, nothing else of it.
copy_settings() {
    local each
    for each in /etc/resolv.conf /etc/hosts /etc/pip.conf /etc/xdg/pip /etc/ssl/certs /usr/local/share/ca-certificates ${PIP_FIND_LINKS:-}; do
        if [ -e "$each" ]; then mkdir -p "$1${each%/*}"; rm -rf "${1:?}$each"; cp -r "$each" "$1$each"; fi
    done
    { env | grep -E '^(PIP_|UV_|SSL_|REQUESTS_|CURL_|GIT_SSL|[a-z]+_proxy|[A-Z]+_PROXY)' || true; } | sed 's/^/export /' >"$1/src/env.sh"
}

# The working tree, without what git ignores but for the programs in C, if they have been compiled here.
pack_project() {
    { git ls-files -z --cached --others --exclude-standard; find src -name 'intercode-helper' -print0 -o -name 'intercode-runner' -print0; } |
        tar -c --null --ignore-failed-read -T -
}

# The virtual environment is made here, in the machine's root, at this machine's speed; and all of Python compiled, for
# the first import takes minutes where the processor is emulated.
make_environment() {
    mkdir -p "$1/src/project"
    pack_project | tar -x -C "$1/src/project"
    # shellcheck disable=SC2016
    unshare --mount --propagation private sh -euc 'mount --rbind /dev "$1/dev"; mount -t proc proc "$1/proc"; exec chroot "$1" bash -euc "$2"' - "$1" '
        . /src/env.sh; export HOME=/root; cd /src/project; make .venv/tests
        .venv/bin/python -m compileall -q -j 0 .venv/lib src tests || true # some packages have templates that are no Python
        useradd --create-home --shell /bin/bash tester; cp -a /src/project /home/tester; cd /home/tester/project
        grep -rlIZ --include="*.pth" --include="direct_url.json" /src/project .venv/lib | xargs -0 sed -i s,/src/project,$PWD,
        grep -lIZ /src/project .venv/bin/* | xargs -0 sed -i s,/src/project,$PWD,; chown -R tester: .'
}

# Runs .vm-command from the second disk (a tar archive of the working tree) and powers off.
configure_boot() {
    cat >"$1/src/boot.sh" <<'END'
#!/bin/bash
exec >/dev/ttyS0 2>&1
tar -x -f /dev/vdb -C /src/project --no-same-owner
bash /src/project/.vm-command
echo "=== END $?"
systemctl poweroff
END
    chmod +x "$1/src/boot.sh"
    printf '[Unit]\nAfter=multi-user.target\n[Service]\nType=oneshot\nExecStart=/src/boot.sh\nTimeoutStartSec=infinity\nDelegate=yes\nTasksMax=infinity\n[Install]\nWantedBy=multi-user.target\n' >"$1/etc/systemd/system/command.service"
    ln -sf /dev/null "$1/etc/systemd/system/serial-getty@ttyS0.service"
    for idle in {docker,podman}.{service,socket} {containerd,podman-auto-update,podman-restart,e2scrub_reap}.service \
        {apt-daily,apt-daily-upgrade,dpkg-db-backup,fstrim,e2scrub_all,podman-auto-update}.timer; do
        ln -sf /dev/null "$1/etc/systemd/system/$idle"
    done
    local wants=$1/etc/systemd/system/multi-user.target.wants
    mkdir -p "$wants" "$1/etc/systemd/network" "$1/var/lib/systemd/linger"
    ln -sf ../command.service "$wants/command.service"
    ln -sf /lib/systemd/system/systemd-networkd.service "$wants/systemd-networkd.service"
    printf '[Match]\nType=ether\n[Network]\nDHCP=yes\n[DHCPv4]\nUseDNS=no\n' >"$1/etc/systemd/network/80.network"
    touch "$1/var/lib/systemd/linger/tester"
}

make_machine() {
    local root=$work/root
    mmdebstrap --variant=minbase --include="$packages" "$suite" "$root"
    mkdir -p "$root/src"
    copy_settings "$root"
    make_environment "$root"
    configure_boot "$root"
    mkdir -p "$machine.new"
    mv "$root"/boot/vmlinuz-* "$machine.new/kernel"; mv "$root"/boot/initrd.img-* "$machine.new/initrd"
    truncate -s 16G "$machine.new/disk"
    mkfs.ext4 -q -F -d "$root" "$machine.new/disk"
    rm -rf --one-file-system "$root" "$machine"
    mv "$machine.new" "$machine"
}

[ -d "$machine" ] || { [ "$(id -u)" = 0 ] || fail "only root can make the machine's disk"; make_machine; }
mkdir "$work/tree"
cat >"$work/tree/.vm-command" <<END
set -a; . /src/env.sh; set +a
export HOME=/root PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
for _ in \$(seq 20); do ip -4 -br addr show eth0 | grep -q UP.*10 && break; sleep 1; done
tar -x -f /dev/vdb -C /home/tester/project --no-same-owner
find /home/tester/project -name .venv -prune -o -exec chown tester: {} +
cd /src/project
# The machine may be older than this tree, in which nothing but the programs in C is compiled.
if ! .venv/bin/python -c 'from intercode_sandbox.embedded.user_namespace import helper_fault; raise SystemExit(helper_fault())'; then
    scripts/install.sh --no-deps --no-build-isolation -e packages/sandbox -e . -e packages/generate
    for program in embedded/intercode-helper docker/intercode-runner; do
        cp -a packages/sandbox/src/intercode_sandbox/\$program /home/tester/project/packages/sandbox/src/intercode_sandbox/
    done
fi
touch {,/home/tester/project/}.venv/{ready,tests} # nothing else to be made anew
as_user() { # in a session of systemd's, as after a login
    systemd-run --quiet --pipe --wait --collect -p User=tester -p PAMName=login -p WorkingDirectory=/home/tester/project \\
        -p TasksMax=infinity bash -c ". /src/env.sh; \$1"
}
export -f as_user
( $command )
END
pack_project >"$work/tree.tar"
tar -r -f "$work/tree.tar" -C "$work/tree" .vm-command
truncate -s %512 "$work/tree.tar"
accelerator=$(test -w /dev/kvm && grep -qwE 'svm|vmx' /proc/cpuinfo && echo kvm || echo tcg,thread=multi)
timeout "$seconds" qemu-system-x86_64 -accel "$accelerator" -cpu max -smp 2 -m "$memory" -nographic -no-reboot \
    -kernel "$machine/kernel" -initrd "$machine/initrd" \
    -append "root=/dev/vda rw console=ttyS0 ${VM_KERNEL:-quiet loglevel=2 systemd.show_status=0} net.ifnames=0" \
    -drive "file=$machine/disk,format=raw,if=virtio,snapshot=on" -drive "file=$work/tree.tar,format=raw,if=virtio,readonly=on" \
    -nic user,model=virtio-net-pci </dev/null | stdbuf -o0 tr -d '\r' | tee "$work/log" || true
status=$(sed -n 's/^=== END //p' "$work/log" | tail -n 1)
exit "${status:-124}"
