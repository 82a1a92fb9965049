"""The databases with which the contract of databases works."""

from __future__ import annotations

from pathlib import Path

from intercode.types.databases import DatabaseSession, DatabaseSource, QueryResult

SHOP = """
-- two databases, as mysqldump writes them
CREATE DATABASE IF NOT EXISTS `shop` /*!40100 DEFAULT CHARACTER SET utf8mb4 */;
USE `shop`;
/*!40101 SET @OLD_CHARACTER_SET_CLIENT=@@CHARACTER_SET_CLIENT */;
DROP TABLE IF EXISTS `customers`;
CREATE TABLE `customers` (
  `id` int NOT NULL AUTO_INCREMENT,
  `name` varchar(50) COLLATE utf8mb4_general_ci DEFAULT NULL,
  `city` text COLLATE utf8mb4_general_ci,
  `born` date DEFAULT NULL,
  PRIMARY KEY (`id`)
) ENGINE=InnoDB AUTO_INCREMENT=11 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
LOCK TABLES `customers` WRITE;
/*!40000 ALTER TABLE `customers` DISABLE KEYS */;
INSERT INTO `customers` VALUES (1,'Anna','Köln','1990-02-28'),(2,'Bob O\\'Hara','Paris',NULL),(3,'çelik; -- no','a\\nb','2001-12-31');
INSERT INTO `customers` VALUES (4,NULL,'"quoted"','1970-01-01');
/*!40000 ALTER TABLE `customers` ENABLE KEYS */;
UNLOCK TABLES;
DROP TABLE IF EXISTS `orders`;
CREATE TABLE `orders` (
  `number` int NOT NULL,
  `customer` int DEFAULT NULL,
  `price` decimal(8,2) DEFAULT NULL,
  `weight` double DEFAULT NULL,
  `at` datetime DEFAULT NULL,
  PRIMARY KEY (`number`),
  KEY `who` (`customer`),
  CONSTRAINT `who` FOREIGN KEY (`customer`) REFERENCES `customers` (`id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
INSERT INTO `orders` VALUES (100,1,9.50,0.25,'2024-01-02 03:04:05'),(101,1,20.00,1.5,NULL),(102,3,5.00,NULL,'2024-05-06 00:00:00');
CREATE DATABASE IF NOT EXISTS `bank`;
USE `bank`;
CREATE TABLE `accounts` (`id` int NOT NULL, `money` int DEFAULT NULL, PRIMARY KEY (`id`));
INSERT INTO `accounts` VALUES (1,100),(2,50);
"""  # noqa: E501  # dumps have long lines

NAMES = [(1, "Anna"), (2, "Bob O'Hara"), (3, "çelik; -- no"), (4, None)]
"""What is in `customers`: id and name."""


def contract_source(folder: Path) -> DatabaseSource:
    """Return a dump of two small databases, `shop` and `bank`, written to *folder*."""
    path = folder / "contract.sql"
    path.write_text(SHOP, encoding="utf-8")
    return DatabaseSource("contract", path, "mysql_dump")


def rows(session: DatabaseSession, statement: str) -> list[tuple[object, ...]]:
    """Return the rows of a statement that must work."""
    result = session.run(statement)
    assert result.error is None, result.error
    assert result.rows is not None, f"no result set: {statement}"
    return list(result.rows)


def run_successfully(session: DatabaseSession, statement: str) -> QueryResult:
    """Return the result of a statement that must work."""
    result = session.run(statement)
    assert result.error is None, result.error
    return result
