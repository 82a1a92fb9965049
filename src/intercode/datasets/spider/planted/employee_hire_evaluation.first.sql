USE `employee_hire_evaluation`;
INSERT INTO `shop` (`Shop_ID`, `Name`, `Location`, `District`, `Number_products`, `Manager_name`) VALUES (10, 'FC Polar', 'Helsinki', 'Finnair Stadium', 2999, 'Aino Salo');
INSERT INTO `shop` (`Shop_ID`, `Name`, `Location`, `District`, `Number_products`, `Manager_name`) VALUES (11, 'Turku Sports', 'Turku', 'Veritas Stadion', 1800, 'Eero Lahti');
INSERT INTO `shop` (`Shop_ID`, `Name`, `Location`, `District`, `Number_products`, `Manager_name`) VALUES (12, 'Lahti Skates', 'Lahti', 'Lahden Stadion', 3000, 'Oona Virtanen');
INSERT INTO `shop` (`Shop_ID`, `Name`, `Location`, `District`, `Number_products`, `Manager_name`) VALUES (15, 'Espoo Sports', 'Espoo', 'Tapiolan Urheilupuisto', 1700, 'Ilta Koski');
INSERT INTO `shop` (`Shop_ID`, `Name`, `Location`, `District`, `Number_products`, `Manager_name`) VALUES (16, 'Espoo Skates', 'Espoo', 'Tapiolan Urheilupuisto', 1750, 'Veli Koski');
INSERT INTO `shop` (`Shop_ID`, `Name`, `Location`, `District`, `Number_products`, `Manager_name`) VALUES (17, 'Oulu Sports', 'Oulu', 'Raatti Stadion', 4500, 'Pekka Salo');
