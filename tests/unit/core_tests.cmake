# Unit tests of the layers base, node, wire, pipeline, datasrv, check and core. Those of datasrv run a data
# server and its origins in one process, over the default provider on the loopback interface.

list(APPEND ARMCI_UNIT_TEST_SOURCES
    ${CMAKE_CURRENT_LIST_DIR}/base_config_test.cpp
    ${CMAKE_CURRENT_LIST_DIR}/base_config_value_test.cpp
    ${CMAKE_CURRENT_LIST_DIR}/base_log_test.cpp
    ${CMAKE_CURRENT_LIST_DIR}/base_stats_test.cpp
    ${CMAKE_CURRENT_LIST_DIR}/base_topology_test.cpp
    ${CMAKE_CURRENT_LIST_DIR}/node_accumulate_test.cpp
    ${CMAKE_CURRENT_LIST_DIR}/node_attachments_test.cpp
    ${CMAKE_CURRENT_LIST_DIR}/node_barrier_test.cpp
    ${CMAKE_CURRENT_LIST_DIR}/node_copy_engine_test.cpp
    ${CMAKE_CURRENT_LIST_DIR}/node_heap_test.cpp
    ${CMAKE_CURRENT_LIST_DIR}/node_heap_shared_test.cpp
    ${CMAKE_CURRENT_LIST_DIR}/node_locks_test.cpp
    ${CMAKE_CURRENT_LIST_DIR}/node_memory_limits_test.cpp
    ${CMAKE_CURRENT_LIST_DIR}/node_memory_test.cpp
    ${CMAKE_CURRENT_LIST_DIR}/node_mutex_queue_test.cpp
    ${CMAKE_CURRENT_LIST_DIR}/node_process_memory_test.cpp
    ${CMAKE_CURRENT_LIST_DIR}/node_word_atomics_test.cpp
    ${CMAKE_CURRENT_LIST_DIR}/fabric_environment_test.cpp
    ${CMAKE_CURRENT_LIST_DIR}/fabric_faults_test.cpp
    ${CMAKE_CURRENT_LIST_DIR}/wire_frame_test.cpp
    ${CMAKE_CURRENT_LIST_DIR}/wire_garbage_test.cpp
    ${CMAKE_CURRENT_LIST_DIR}/pipeline_boundary_test.cpp
    ${CMAKE_CURRENT_LIST_DIR}/pipeline_flow_test.cpp
    ${CMAKE_CURRENT_LIST_DIR}/pipeline_buffer_manager_test.cpp
    ${CMAKE_CURRENT_LIST_DIR}/pipeline_channel_test.cpp
    ${CMAKE_CURRENT_LIST_DIR}/pipeline_matrix_test.cpp
    ${CMAKE_CURRENT_LIST_DIR}/pipeline_siblings_test.cpp
    ${CMAKE_CURRENT_LIST_DIR}/pipeline_cost_model_test.cpp
    ${CMAKE_CURRENT_LIST_DIR}/pipeline_cost_profile_test.cpp
    ${CMAKE_CURRENT_LIST_DIR}/datasrv_idling_test.cpp
    ${CMAKE_CURRENT_LIST_DIR}/datasrv_segment_map_test.cpp
    ${CMAKE_CURRENT_LIST_DIR}/datasrv_slot_grants_test.cpp
    ${CMAKE_CURRENT_LIST_DIR}/check_test.cpp
    ${CMAKE_CURRENT_LIST_DIR}/core_handles_test.cpp
    ${CMAKE_CURRENT_LIST_DIR}/object_size_test.cpp
    ${CMAKE_CURRENT_LIST_DIR}/raw_client.cpp
    ${CMAKE_CURRENT_LIST_DIR}/server_fixture.cpp
    ${CMAKE_CURRENT_LIST_DIR}/server_garbage_test.cpp
    ${CMAKE_CURRENT_LIST_DIR}/server_idle_test.cpp
    ${CMAKE_CURRENT_LIST_DIR}/server_lifecycle_test.cpp
    ${CMAKE_CURRENT_LIST_DIR}/server_order_test.cpp
    ${CMAKE_CURRENT_LIST_DIR}/server_refusal_test.cpp
    ${CMAKE_CURRENT_LIST_DIR}/server_request_test.cpp
    ${CMAKE_CURRENT_LIST_DIR}/transfer_pattern.cpp)
