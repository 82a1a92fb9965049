USE `pets_1`;
INSERT INTO `pets` (`PetID`, `PetType`, `pet_age`, `weight`) VALUES (2009, 'dog', 3, 11);
INSERT INTO `pets` (`PetID`, `PetType`, `pet_age`, `weight`) VALUES (2010, 'dog', 3, 10);
INSERT INTO `pets` (`PetID`, `PetType`, `pet_age`, `weight`) VALUES (2011, 'dog', 3, 7.5);
INSERT INTO `pets` (`PetID`, `PetType`, `pet_age`, `weight`) VALUES (2012, 'North dog', 3, 9.3);
INSERT INTO `has_pet` (`StuID`, `PetID`) VALUES (1016, 2012);
INSERT INTO `has_pet` (`StuID`, `PetID`) VALUES (1030, 2010);
INSERT INTO `has_pet` (`StuID`, `PetID`) VALUES (1031, 2009);
INSERT INTO `pets` (`PetID`, `PetType`, `pet_age`, `weight`) VALUES (2013, 'dog', 3, 1.5);
