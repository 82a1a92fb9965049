USE `car_1`;
INSERT INTO `model_list` (`ModelId`, `Maker`, `Model`) VALUES (40, 1, 'rambler');
INSERT INTO `car_names` (`MakeId`, `Model`, `Make`) VALUES (414, 'rambler', 'rambler classic');
INSERT INTO `cars_data` (`Id`, `MPG`, `Cylinders`, `Edispl`, `Horsepower`, `Weight`, `Accelerate`, `Year`) VALUES (414, '19.5', 6, 232, '100.0', 2945, 16.0, 1971);
INSERT INTO `model_list` (`ModelId`, `Maker`, `Model`) VALUES (41, 4, 'geo');
INSERT INTO `car_names` (`MakeId`, `Model`, `Make`) VALUES (415, 'geo', 'geo metro');
INSERT INTO `cars_data` (`Id`, `MPG`, `Cylinders`, `Edispl`, `Horsepower`, `Weight`, `Accelerate`, `Year`) VALUES (415, '31.5', 4, 98, '68.0', 2155, 16.5, 1982);
