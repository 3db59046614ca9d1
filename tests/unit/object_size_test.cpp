// SPDX-License-Identifier: BSD-3-Clause
// Objects that exist once per peer, per request or per segment must not grow by accident: with many
// ranks they are most of the library's memory. Raise a bound only on purpose.
#include <gtest/gtest.h>

#include "armci/armci.h"
#include "core/memory/segments.h"
#include "datasrv/client.h"
#include "datasrv/server.h"
#include "node/heap.h"
#include "node/mutex_queue.h"
#include "pipeline/origin/channel.h"
#include "pipeline/origin/get_task.h"
#include "pipeline/origin/origin.h"
#include "pipeline/origin/put_task.h"
#include "pipeline/origin/request_task.h"
#include "pipeline/origin/rma_task.h"
#include "wire/frame.h"

namespace armci::test {
namespace {

TEST(ObjectSize, PerPeer) {
    EXPECT_LE(sizeof(pipeline::Channel), 280U);  // of an origin, per data server it talks to
    EXPECT_LE(sizeof(datasrv::Client), 160U);    // of a data server, per rank that talks to it
}

TEST(ObjectSize, PerSegment) {
    EXPECT_LE(sizeof(core::Slice), 16U);       // per rank of its group, once per node
    EXPECT_LE(sizeof(core::ServerPart), 48U);  // per node, once per node
    EXPECT_LE(sizeof(core::SegmentTables), 40U);
    EXPECT_LE(sizeof(core::Segment), 64U);  // per rank's own view
    EXPECT_LE(sizeof(node::Extent), 56U);   // in the node heap
}

TEST(ObjectSize, PerOperationUnderWay) {
    EXPECT_LE(sizeof(pipeline::Task), 88U);
    EXPECT_LE(sizeof(pipeline::RequestTask), 192U);
    // A transfer holds both layouts by value, so that posting allocates nothing.
    EXPECT_LE(sizeof(pipeline::Transfer), 656U);
    EXPECT_LE(sizeof(pipeline::PutTask), 1552U);
    EXPECT_LE(sizeof(pipeline::GetTask), 1664U);
    EXPECT_LE(sizeof(pipeline::RmaTask), 912U);
}

TEST(ObjectSize, PerFrame) {
    EXPECT_EQ(sizeof(wire::FrameHeader), 48U);
    EXPECT_LE(sizeof(pipeline::OriginFrame), pipeline::OutFrame::kWireOffset);
    // A small request fits the smallest piece of a buffer.
    EXPECT_LE(
        pipeline::OutFrame::kOverheadBytes + sizeof(wire::FrameHeader) + sizeof(wire::RmwBody),
        pipeline::BufferManager::kSmallestPiece);
}

TEST(ObjectSize, InNodeMemory) {
    EXPECT_EQ(sizeof(node::Mutex), 64U);
    EXPECT_LE(sizeof(node::Waiter), 24U);
    EXPECT_LE(sizeof(node::HeapControl), size_t{9} << 18);
}

TEST(ObjectSize, InThePublicInterface) {
    EXPECT_EQ(sizeof(armci_hdl_t), 8U);
}

}  // namespace
}  // namespace armci::test
