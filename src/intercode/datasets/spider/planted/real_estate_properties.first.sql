USE `real_estate_properties`;
INSERT INTO `Ref_Property_Types` (`property_type_code`, `property_type_description`) VALUES ('Garage', 'Garage, Parking space.');
INSERT INTO `Properties` (`property_id`, `property_type_code`, `date_on_market`, `date_sold`, `property_name`, `room_count`) VALUES (16, 'Apartment', '2012-05-06 10:00:00', '2013-01-05 10:00:00', 'elm court', 1);
INSERT INTO `Properties` (`property_id`, `property_type_code`, `date_on_market`, `date_sold`, `property_name`, `room_count`) VALUES (17, 'Apartment', '2014-05-06 10:00:00', '2015-01-05 10:00:00', 'oak court', 2);
INSERT INTO `Properties` (`property_id`, `property_type_code`, `date_on_market`, `date_sold`, `property_name`, `room_count`) VALUES (18, 'House', '2011-03-01 09:00:00', '2012-02-03 10:00:00', 'fern hill', 1);
