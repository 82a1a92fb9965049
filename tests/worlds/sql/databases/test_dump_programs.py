"""Dumps as today's programs write them load on both engines with the same rows.

The forms of MySQL 9.7 and MariaDB 10.11 were seen from the programs; those of the others are written as they are known.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from intercode.errors import BadDataError
from intercode.testing.database_fixtures import rows
from intercode.types.databases import Database, DatabaseSource
from intercode.worlds.sql import databases
from intercode.worlds.sql.databases.mysql import server_program
from intercode.worlds.sql.databases.mysql.server_process import ServerProcess
from intercode.worlds.sql.databases.mysql.template import empty

SANDBOX = "/*M!999999\\- enable the sandbox mode */ \n"
GTID = """
SET @MYSQLDUMP_TEMP_LOG_BIN = @@SESSION.SQL_LOG_BIN;
SET @@SESSION.SQL_LOG_BIN= 0;
SET @@GLOBAL.GTID_PURGED=/*!80000 '+'*/ '6fb30cc1-ea83-11f1-bc9f-02fc00000001:1-21';
"""
VERBOSITY = "/*M!100616 SET @OLD_NOTE_VERBOSITY=@@NOTE_VERBOSITY, NOTE_VERBOSITY=0 */;\n"
PROGRAMS = {
    "mysqldump 5.7": ("/*!40101 SET NAMES utf8 */;\n", "CHARSET=utf8"),
    "mysqldump 8.0": ("/*!50503 SET NAMES utf8mb4 */;\n", "CHARSET=utf8mb4 COLLATE=utf8mb4_0900_ai_ci"),
    "mysqldump 8.4": ("/*!50503 SET NAMES utf8mb4 */;\n" + GTID, "CHARSET=utf8mb4 COLLATE=utf8mb4_0900_as_cs"),
    "mysqldump 9.7": ("/*!50503 SET NAMES utf8mb4 */;\n" + GTID, "CHARSET=utf8mb4 COLLATE=utf8mb4_de_pb_0900_as_cs"),
    "mariadb-dump 10.5": ("/*!40101 SET NAMES utf8mb4 */;\n", "CHARSET=utf8mb4"),
    "mariadb-dump 10.11": (SANDBOX + "/*!40101 SET NAMES utf8mb4 */;\n", "CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci"),
    "mariadb-dump 11.4": (SANDBOX + VERBOSITY, "CHARSET=utf8mb4 COLLATE=utf8mb4_uca1400_ai_ci"),
    "mariadb-dump 12": (
        SANDBOX + VERBOSITY,
        "CHARSET=utf8mb3 COLLATE=utf8mb3_uca1400_nopad_as_ci `PAGE_COMPRESSED`='1'",
    ),
}

BODY = r"""
/*!40014 SET @OLD_FOREIGN_KEY_CHECKS=@@FOREIGN_KEY_CHECKS, FOREIGN_KEY_CHECKS=0 */;
/*!40101 SET @OLD_SQL_MODE=@@SQL_MODE, SQL_MODE='NO_AUTO_VALUE_ON_ZERO' */;
CREATE DATABASE /*!32312 IF NOT EXISTS*/ `shop` /*!40100 DEFAULT CHARACTER SET utf8mb4 */
 /*!80016 DEFAULT ENCRYPTION='N' */;
USE `shop`;
DROP TABLE IF EXISTS `child`;
CREATE TABLE `child` (`k` int, KEY `k` (`k`), CONSTRAINT `f` FOREIGN KEY (`k`) REFERENCES `t` (`id`)) ENGINE=InnoDB;
set autocommit=0;
LOCK TABLES `child` WRITE;
INSERT INTO `child` VALUES (0);
UNLOCK TABLES;
CREATE TABLE `t` (
  `id` int NOT NULL AUTO_INCREMENT,
  `name` varchar(20) DEFAULT NULL,
  `flag` bit(1) DEFAULT b'1',
  `data` blob,
  `twice` int GENERATED ALWAYS AS ((length(`name`) * 2)) VIRTUAL,
  PRIMARY KEY (`id`), KEY `n` (`name`)
) ENGINE=InnoDB AUTO_INCREMENT=9 DEFAULT OPTIONS;
INSERT  IGNORE INTO `t` (`id`, `name`, `flag`, `data`) VALUES (0,'a;b /*!50000 kept */',0x01,0x00FF);
REPLACE INTO `t` VALUES (2,'DEFAULT, (DEFAULT)','\0',_binary 'x\'',DEFAULT);
DELIMITER ;;
/*!50003 CREATE*/ /*!50017 DEFINER=`ghost`@`%`*/ /*!50003 TRIGGER `r` AFTER INSERT ON `child` FOR EACH ROW BEGIN END */;;
/*!50106 CREATE*/ /*!50117 DEFINER=`ghost`@`%`*/ /*!50106 EVENT `e` ON SCHEDULE EVERY 1 DAY DO DELETE FROM t */ ;;
CREATE DEFINER=`ghost`@`%` PROCEDURE `p`()
BEGIN SELECT 1; SELECT 2; END ;;
DELIMITER ;
/*!50001 CREATE VIEW `v` AS SELECT 1 AS `id`*/;
/*!50001 DROP VIEW IF EXISTS `v`*/;
/*!50001 CREATE ALGORITHM=UNDEFINED */
/*!50013 DEFINER=`ghost`@`%` SQL SECURITY DEFINER */
/*!50001 VIEW `v` AS select `t`.`id` AS `id` from `t` */;
CREATE DATABASE `bank`; USE `bank`;
CREATE TABLE `a` (`m` int);
INSERT INTO `a` VALUES (5);
commit;
/*!40101 SET SQL_MODE=@OLD_SQL_MODE */;
"""  # noqa: E501  # dumps have long lines

CONTENT = [(0, "a;b /*!50000 kept */", 1, b"\0\xff", 40), (2, "DEFAULT, (DEFAULT)", 0, b"x'", 36)]


@pytest.fixture(scope="module", params=["sqlite", "mysql"])
def database(request: pytest.FixtureRequest) -> Iterator[Database]:
    with databases.find(request.param) as database:
        yield database


def dumped(folder: Path, dump: str) -> DatabaseSource:
    (folder / "dump.sql").write_text(dump, encoding="utf-8")
    return DatabaseSource("dump", folder, "sql")


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("ends", ["\n", "\r\n"])
def test_a_dump_of_each_program_loads_with_its_rows(
    database: Database, program: str, ends: str, tmp_path: Path
) -> None:
    head, options = PROGRAMS[program]
    source = dumped(tmp_path, (head + BODY.replace("OPTIONS", options)).replace("\n", ends))
    with database.open(source, "shop") as session:
        assert rows(session, "SELECT * FROM t ORDER BY id") == CONTENT
        assert rows(session, "SELECT id FROM v ORDER BY id") == [(0,), (2,)]
        assert rows(session, "SELECT k FROM child") == [(0,)]
    with database.open(source, "bank") as session:
        assert rows(session, "SELECT m FROM a") == [(5,)]
    assert database.names(source) == ["bank", "shop"]


def test_workbench_leaves_values_to_their_defaults(database: Database, tmp_path: Path) -> None:
    source = dumped(
        tmp_path,
        """CREATE TABLE t (id INT NOT NULL AUTO_INCREMENT,
        a VARCHAR(9) NULL, b VARCHAR(9) DEFAULT 'it''s', PRIMARY KEY (id));
        START TRANSACTION; INSERT INTO `t` (`id`, `a`, `b`)
        VALUES (DEFAULT, 'x', DEFAULT), (DEFAULT, DEFAULT, 'y'); COMMIT;""",
    )
    with database.open(source, "dump") as session:
        assert rows(session, "SELECT * FROM t ORDER BY id") == [(1, "x", "it's"), (2, None, "y")]


def test_keys_over_expressions_and_checks_that_are_not_enforced_change_no_rows(
    database: Database, tmp_path: Path
) -> None:
    source = dumped(
        tmp_path,
        """CREATE TABLE t (a int, b int, KEY f (((`a` * 3))), KEY g (`b`, (abs(`a`))),
        CONSTRAINT c CHECK ((`a` > 5)) /*!80016 NOT ENFORCED */, v vector(2));
        INSERT INTO t VALUES (1, 2, 0x0000803F00000040);""",
    )
    with database.open(source, "dump") as session:
        assert rows(session, "SELECT a, b FROM t") == [(1, 2)]


def test_a_unique_key_over_an_expression_is_kept_or_refused_by_name(database: Database, tmp_path: Path) -> None:
    source = dumped(tmp_path, "CREATE TABLE t (a int, UNIQUE KEY f (((`a` * 3)))); INSERT INTO t VALUES (1);")
    if database.dialect != "sqlite" and server_program.find().flavour == "mariadb":
        with pytest.raises(BadDataError, match="line 1: MariaDB has no unique key over an expression"):
            database.load(source)
        return
    with database.open(source, "dump") as session:
        assert session.run("INSERT INTO t VALUES (1)").error is not None
        assert rows(session, "SELECT a FROM t") == [(1,)]


def test_invisible_columns_stay_invisible_or_are_refused(database: Database, tmp_path: Path) -> None:
    source = dumped(
        tmp_path,
        "CREATE TABLE t (a int, b int DEFAULT '7' /*!80023 INVISIBLE */); INSERT INTO t (a, b) VALUES (1, 2);",
    )
    if database.dialect == "sqlite":
        with pytest.raises(BadDataError, match="line 1: the column 'b' is INVISIBLE"):
            database.load(source)
        return
    with database.open(source, "dump") as session:
        assert rows(session, "SELECT * FROM t") == [(1,)]


def test_types_and_sequences_of_mariadb_are_read(database: Database, tmp_path: Path) -> None:
    source = dumped(
        tmp_path,
        SANDBOX
        + """CREATE SEQUENCE `sq` start with 1 minvalue 1 maxvalue 99 increment by 1 cache 10 nocycle ENGINE=InnoDB;
        DO SETVAL(`sq`, 5, 0);
        CREATE TABLE t (id int NOT NULL DEFAULT nextval(`sq`), u uuid DEFAULT uuid(), ip inet6,
        j longtext DEFAULT '{}' CHECK (json_valid(`j`)), born date DEFAULT curdate(),
        at timestamp NOT NULL DEFAULT current_timestamp() ON UPDATE current_timestamp(), KEY k (`born`))
        ENGINE=Aria DEFAULT CHARSET=utf8mb4 PAGE_CHECKSUM=1 TRANSACTIONAL=1 WITH SYSTEM VERSIONING;
        INSERT INTO t VALUES (1,'123e4567-e89b-12d3-a456-426655440000','::1','{}','2024-01-02','2024-01-02 03:04:05'),
        (2,NULL,NULL,NULL,NULL,'2024-01-02 03:04:05');""",
    )
    with database.open(source, "dump") as session:
        assert rows(session, "SELECT id, u, ip, j FROM t ORDER BY id") == [
            (1, "123e4567-e89b-12d3-a456-426655440000", "::1", "{}"),
            (2, None, None, None),
        ]
        assert session.run("INSERT INTO t (id, ip) VALUES (3, '::2')").error is None
        assert rows(session, "SELECT j, born IS NOT NULL FROM t WHERE id = 3") == [("{}", 1)]


def test_values_that_mariadb_writes_for_generated_columns_are_computed_anew(database: Database, tmp_path: Path) -> None:
    source = dumped(
        tmp_path,
        """CREATE TABLE `t` (`a` int, `b` int GENERATED ALWAYS AS (`a` * 2) STORED, `c` varchar(9));
        INSERT INTO `t` VALUES (1,2,'x,(y)'),
        (3,6,NULL); REPLACE INTO `t` VALUES (abs(-4),8,')');""",
    )
    with database.open(source, "dump") as session:
        assert rows(session, "SELECT * FROM t ORDER BY a") == [(1, 2, "x,(y)"), (3, 6, None), (4, 8, ")")]


def test_what_a_dump_loses_on_sqlite_is_said_when_it_is_loaded(tmp_path: Path) -> None:
    said = list[str]()
    body = BODY.replace("OPTIONS", "").replace("DELIMITER ;\n", "DELIMITER ;\nCREATE SEQUENCE s; CREATE SEQUENCE r;\n")
    with databases.find("sqlite", progress=said.append) as database:
        database.load(dumped(tmp_path, body))
    assert "dump: SQLite has no 1 procedure, 2 sequences, 1 trigger: left out" in said[-1]


GENUINE = r"""
CREATE TABLE shop.child (k int, v varchar(20), FOREIGN KEY (k) REFERENCES shop.t (id), CONSTRAINT c CHECK (v <> ''));
INSERT INTO shop.child VALUES (1, 'x'), (2, 'y');
CREATE VIEW shop.v AS SELECT id, name FROM shop.t WHERE n > 1;
CREATE TRIGGER shop.r AFTER INSERT ON shop.child FOR EACH ROW DELETE FROM shop.t WHERE id = 99;
CREATE TABLE shop.parts (id int PRIMARY KEY) PARTITION BY HASH (id) PARTITIONS 2;
INSERT INTO shop.parts VALUES (1), (2)
"""
TABLE = r"""CREATE TABLE shop.t (id int NOT NULL AUTO_INCREMENT PRIMARY KEY,
        name varchar(50) UNIQUE, kind enum('a','b''c'),
 price decimal(8,2) DEFAULT 1.50, flag bit(1) DEFAULT b'1', data blob, born date, at timestamp NULL,
 n int, twice int AS (n * 2) STORED, code text, g point, KEY pre (code(10)))"""
ROWS = r"""INSERT INTO shop.t (name, kind, data, born, at, n, code, g) VALUES
 ('one', 'a', X'00ff27', '2024-01-02', '2024-01-02 03:04:05', 5,
  'a;b /*!50000 kept */ -- c', ST_GeomFromText('POINT(1 2)')),
 ('zwei ''ö''', 'b''c', '', NULL, NULL, NULL, 'line\nnew\\ "q"', NULL)"""
SELECTS = (
    "SELECT id, name, kind, price, flag, data, born, at, n, twice, code, g FROM t ORDER BY id",
    "SELECT * FROM v",
    "SELECT * FROM child ORDER BY k",
    "SELECT * FROM parts ORDER BY id",
)
FLAVOURS = {"mysql": ("mysqld", "mysqldump"), "mariadb": ("mariadbd", "mariadb-dump")}


def programs(flavour: str) -> list[str]:
    """The server and its dump program, on the PATH or in the folder that INTERCODE_TEST_SERVERS names."""
    places = os.pathsep.join((os.environ.get("INTERCODE_TEST_SERVERS", ""), os.environ["PATH"], *server_program.PLACES))
    found = [shutil.which(name, path=places) for name in FLAVOURS[flavour]]
    if not all(found) or server_program.examine(str(found[0])).flavour != flavour:
        pytest.skip(f"no {' with '.join(FLAVOURS[flavour])} on the PATH or in INTERCODE_TEST_SERVERS")
    return [str(path) for path in found]


@pytest.fixture(scope="module", params=FLAVOURS)
def genuine(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[object]]:
    """A server's own dump, and the rows that it had."""
    server, program = programs(request.param)
    folder = tmp_path_factory.mktemp("genuine")
    fresh = folder / "empty.tar"
    empty(server_program.examine(server), fresh)
    with closing(ServerProcess(server_program.examine(server), template=fresh)) as running:
        admin = running.admin
        for statement in ("CREATE DATABASE shop", TABLE, ROWS, *GENUINE.split(";\n")):
            admin.rows(statement)
        admin.rows("USE shop")
        had: list[object] = [admin.rows(select) for select in SELECTS]
        socket = running.process.directory.folder / "s"
        argv = [program, "--no-defaults", "-uroot", f"--socket={socket}", "--routines", "--databases", "shop"]
        made = subprocess.run(argv, capture_output=True, check=True)
    (folder / "dump.sql").write_bytes(made.stdout)
    return folder / "dump.sql", had


def test_a_servers_own_dump_loads_with_the_rows_that_it_had(
    database: Database, genuine: tuple[Path, list[object]]
) -> None:
    dump, had = genuine
    with database.open(DatabaseSource("dump", dump, "sql"), "shop") as session:
        assert [rows(session, select) for select in SELECTS] == had
