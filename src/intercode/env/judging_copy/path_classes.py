"""The classes of paths: what an agent has left there either counts as its work, or steers the programs that judge it.

`SETTINGS` steer programs without being called: loaders, interpreters, shells, resolvers and test tools read them first.
They come from the image unless the task keeps them. `SYSTEM` holds the image's own programs and libraries: those come
from the image too, and so does what is new there unless the task's solution makes the same. All else is work.
"""

from __future__ import annotations

import re

SETTINGS = (
    # The dynamic loader (glibc's and musl's), libraries of name services
    r"/etc/ld\.so\..*|/etc/ld-[^/]*\.path|/etc/ld-elf.*|.*/glibc-hwcaps(/.*)?|.*/libnss_[^/]*|.*/gconv/.*",
    # Interpreters
    r".*/etc/(python|perl|ruby|gem|php|node|nodejs|npm|lua|java|tcl|R|php\d*|irb|guile|octave|julia)[^/]*(/.*)?",
    r".*/etc/(pip|npm|yarn|uv|pdm|conda|cargo|maven|gradle|go|jvm)[^/]*(/.*)?",
    r"(/usr|/usr/local)/(lib|lib64|share)/(python|perl|ruby|lua|node_modules|nodejs|tcltk|R|guile|octave|php)[^/]*(/.*)?",
    r"(/usr|/usr/local)/lib/[^/]*/perl[^/]*(/.*)?|/usr/local/lib/site_[^/]*(/.*)?|.*/lib/node(/.*)?|/usr/local/include/.*",
    r".*/(sitecustomize|usercustomize)(\.[^/]*|/.*)?|/var/lib/gems(/.*)?",
    # A folder where a script is about to be put: Python runs what it finds in there
    r"(/tmp|/var/tmp|/dev/shm)/(.*/)?__main__\.pyc?|.*\.(py|pyz|zip)/__main__\.pyc?",
    # Shells and logins
    r".*/etc/(profile|bash|zsh|zprofile|zlog|zlogin|ksh|mksh|csh|fish|environment|inputrc|login|pam|sudo)[^/]*(/.*)?",
    r".*/etc/(security|crypto-policies)(/.*)?|/etc/default/(locale|useradd|su)",
    # Which program a name means
    r"/etc/alternatives(/.*)?|.*/etc/(env|mime|magic|mailcap|binfmt)[^/]*(/.*)?",
    # TLS, names of hosts, locale, time
    r".*/etc/(ssl|ca-certificates|pki|gnutls|openssl|krb5|gss)[^/]*(/.*)?|(/usr|/usr/local)/(share|lib)/(ssl|ca-certificates)[^/]*(/.*)?",
    r".*/etc/(hosts|hostname|host\.conf|nsswitch|resolv|gai|networks|protocols|services|nscd|idn)[^/]*(/.*)?",
    r".*/etc/(locale|localtime|timezone|adjtime|papersize|dictionaries)[^/]*(/.*)?",
    # Compilers
    r"(/usr|/usr/local)/(lib|lib64|libexec)/(gcc|cc|llvm|clang)[^/]*(/.*)?|/usr/include/.*|/usr/[^/]*-linux-[^/]*(/.*)?",
    # Tools that tests call
    r".*/etc/(git|hg|mercurial|subversion|xdg|my\.cnf|terminfo|wgetrc|curlrc|screenrc|tmux|vim|nano|emacs|gdb|lldb|sqlite|odbc|psql|man)[^/]*(/.*)?",
    # pytest's, wherever its tests are
    r".*/(\.?pytest\.(ini|toml)|conftest\.pyc?)",
    # A repository's own settings, and programs that it runs
    r".*/\.git/(config[^/]*|commondir|info/attributes|hooks(/.*)?)",
)
"""Whole paths, as regular expressions."""

DOT_FILE = r"\.(?!git(/.*)?$|gitignore$|gitattributes$|gitmodules$|github(/.*)?$|env$).*"
IN_HOMES = rf"bin(/.*)?|{DOT_FILE}"
"""Paths in a home: dot files and programs, and not what a project has that lies there."""

WHERE_TESTS_RUN = (
    # pytest, unittest, tox, coverage and Python's tools
    r"pyproject\.toml|tox\.(ini|toml)|setup\.cfg|\.coveragerc|nose2?\.cfg",
    r"mypy\.ini|\.mypy\.ini|\.?ruff\.toml|\.flake8|\.pylintrc|pylintrc|\.pdbrc(\.py)?|\.python-version|noxfile\.py",
    r"[^/]*\.(dist-info|egg-info|egg|egg-link)(/.*)?",
    # JavaScript's
    r"node_modules(/.*)?|(jest|vitest|karma|babel|eslint|mocha|ava|playwright|nyc|prettier|tsconfig)(\.[^/]*)?\.[^/]+",
    r"\.(mocharc|babelrc|eslintrc|npmrc|yarnrc|nycrc|taprc|prettierrc|swcrc|nvmrc|node-version)[^/]*|\.yarn(/.*)?",
    r"\.pnp\.[^/]*|bunfig\.toml|deno\.jsonc?",
    # Ruby's, PHP's, Rust's, R's, debuggers'
    r"\.(rspec|irbrc|pryrc|ruby-version|bundle(/.*)?|rubocop[^/]*)|phpunit\.xml[^/]*|\.user\.ini|php\.ini",
    r"\.cargo(/.*)?|rust-toolchain(\.toml)?|\.R(profile|environ)|\.(gdbinit|lldbinit|tool-versions|sqliterc|jq|envrc)",
    r"\.mvn(/.*)?|gradle\.properties|uv\.toml|\.valgrindrc|\.ghci",
    r"GNUmakefile|BSDmakefile|go\.work(\.sum)?|\.curlrc|\.wgetrc|\.octaverc|\.luarc[^/]*|\.perldb|\.proverc|\.shellcheckrc",
    # A folder that git takes for a repository
    r"HEAD|commondir",
)
"""Paths in the folder in which the verifier begins, and in those above it."""

MODULES = frozenset((
    *("sitecustomize", "usercustomize", "pytest", "_pytest", "pluggy", "iniconfig", "packaging"),
    *("org", "java", "exceptiongroup", "tomli", "colorama", "argcomplete"),
    *("simplejson", "chardet", "brotli", "socks", "readline", "xdist", "pexpect", "coverage", "pygments", "attr", "py"),
))  # fmt: skip
"""Modules that Python, pytest and requests take where they find them; an image need not have them, tests bring some."""

LIBRARY_FOLDERS = (
    r".*/(?:site-packages|dist-packages|vendor_ruby|site_ruby|site_perl|vendor_perl)|.*/lib(?=/python\d+\.zip)"
)
"""Folders of an interpreter's modules: where the image has one, what is below it is the image's."""

SYSTEM = (
    *("/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/usr", "/opt", "/etc"),
    *("/nix", "/snap", "/boot", "/gnu"),
)
"""Folders of the image's programs, libraries and settings."""

SOURCES = ("/usr/src", "/usr/local/src", "/usr/games/src")
"""Folders below these where people work nevertheless."""

PROGRAM_VARIABLES = ("PATH", "LD_LIBRARY_PATH", "VIRTUAL_ENV", "CONDA_PREFIX", "PYTHONHOME", "JAVA_HOME", "GOROOT")
LIBRARY_VARIABLES = ("PYTHONPATH", "PERL5LIB", "RUBYLIB", "NODE_PATH", "GEM_PATH", "GEM_HOME", "CLASSPATH")
"""Variables of an image that name folders of its programs and of its libraries."""

MAGIC_LINKS = r"/proc(/.*)?|/dev/(fd(/.*)?|stdin|stdout|stderr)"
"""Paths whose meaning depends on who opens them: a link there may lead to what a verifier has open."""

STEERING = r"/etc/|/(sitecustomize|usercustomize|specs|Rprofile|Renviron)[^/]*$|\.(egg-link|conf|cfg|ini|toml|path)$"
"""Ends of paths that say where programs go on: not even the solution's own is known to lead to no work."""

COMPILED = "/__pycache__/"
"""In the path of a module as Python keeps it compiled: of the system's own none is an agent's work."""

ENVIRONMENT = ("pyvenv.cfg", "conda-meta/history")
"""The files by which an environment is known, virtual or Conda's."""

GIT_SETTING = r"(.*)/(?:config(?:\.worktree)?|info/attributes|hooks(?:/.*)?)"
"""A path of a repository's settings; the group is the folder that is one if it has a file HEAD."""

PROGRAMS = rf"({'|'.join(SYSTEM)})(/(?:.*/)?(s?bin|lib(32|64|x32|exec)?|share|include)(/.*)?)?|/usr/[^/]*"
"""Of the system's folders those that are for work never: tests that name one run its programs."""

settings = re.compile("|".join(f"(?:{each})" for each in SETTINGS), re.DOTALL)
dot_file = re.compile(DOT_FILE, re.DOTALL)
in_homes = re.compile(IN_HOMES, re.DOTALL)
where_tests_run = re.compile("|".join(f"(?:{each})" for each in WHERE_TESTS_RUN), re.DOTALL)
magic_links = re.compile(MAGIC_LINKS, re.DOTALL)
git_setting = re.compile(GIT_SETTING, re.DOTALL)
programs = re.compile(PROGRAMS, re.DOTALL)
steering = re.compile(STEERING, re.DOTALL)
library_folder = re.compile(f"({LIBRARY_FOLDERS})(?:/.*)?", re.DOTALL)
