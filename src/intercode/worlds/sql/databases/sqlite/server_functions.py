"""Functions that MySQL and MariaDB have, for saying that SQLite lacks one instead of that there is none."""

from __future__ import annotations

SERVER_FUNCTIONS = frozenset(
    """
    add_months addtime aes_decrypt aes_encrypt any_value benchmark bin_to_uuid bit_and bit_count bit_length bit_or
    bit_xor coercibility collation compress convert_tz crc32 des_decrypt des_encrypt elt encrypt export_set extractvalue
    format_bytes format_pico_time from_base64 from_days get_format get_lock grouping inet6_aton inet6_ntoa inet_aton
    inet_ntoa is_free_lock is_ipv4 is_ipv4_compat is_ipv4_mapped is_ipv6 is_used_lock is_uuid json_array
    json_array_append json_array_insert json_arrayagg json_contains json_contains_path json_depth json_detailed
    json_equals json_exists json_insert json_keys json_length json_merge json_merge_patch json_merge_preserve
    json_normalize json_object json_objectagg json_overlaps json_pretty json_query json_quote json_remove json_replace
    json_schema_valid json_search json_set json_storage_size json_type json_unquote json_valid json_value linestring
    load_file make_set makedate maketime master_pos_wait median name_const natural_sort_key octet_length old_password
    ord password percentile_cont percentile_disc period_add period_diff point polygon random_bytes regexp_instr
    regexp_like regexp_replace regexp_substr release_all_locks release_lock row_count sec_to_time session_user sha sha1
    sha2 soundex st_area st_asgeojson st_astext st_buffer st_contains st_distance st_distance_sphere st_geomfromtext
    st_intersects st_length st_within st_x st_y statement_digest statement_digest_text std stddev stddev_pop stddev_samp
    subtime sys_guid system_user time_format time_to_sec timediff to_base64 to_char to_seconds uncompress
    uncompressed_length unhex updatexml uuid_short uuid_to_bin validate_password_strength values var_pop var_samp
    variance weight_string
    """.split()  # noqa: SIM905
)
"""Those of their manuals that ordinary statements use. One that is made here too is never looked up."""
