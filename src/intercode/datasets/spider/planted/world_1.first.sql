USE `world_1`;
INSERT INTO `country` (`Code`, `Name`, `Continent`, `Region`, `SurfaceArea`, `IndepYear`, `Population`, `LifeExpectancy`, `GNP`, `GNPOld`, `LocalName`, `GovernmentForm`, `HeadOfState`, `Capital`, `Code2`) VALUES ('XAA', 'Northland', 'Europe', 'Nordic Countries', 1200, 1960, 80000, 77, 900, 880, 'Nordland', 'Republic', 'Ada Berg', NULL, 'XA');
INSERT INTO `countrylanguage` (`CountryCode`, `Language`, `IsOfficial`, `Percentage`) VALUES ('XAA', 'Northlandic', 'T', 88);
INSERT INTO `countrylanguage` (`CountryCode`, `Language`, `IsOfficial`, `Percentage`) VALUES ('XAA', 'English', 'F', 12);
INSERT INTO `country` (`Code`, `Name`, `Continent`, `Region`, `SurfaceArea`, `IndepYear`, `Population`, `LifeExpectancy`, `GNP`, `GNPOld`, `LocalName`, `GovernmentForm`, `HeadOfState`, `Capital`, `Code2`) VALUES ('XAB', 'Great Southland', 'Oceania', 'Melanesia', 18000000, 1951, 410000, 71, 1200, 1100, 'Great Southland', 'Federation', 'Noel Grant', NULL, 'XB');
INSERT INTO `countrylanguage` (`CountryCode`, `Language`, `IsOfficial`, `Percentage`) VALUES ('XAB', 'English', 'T', 60);
INSERT INTO `countrylanguage` (`CountryCode`, `Language`, `IsOfficial`, `Percentage`) VALUES ('XAB', 'Dutch', 'T', 30);
