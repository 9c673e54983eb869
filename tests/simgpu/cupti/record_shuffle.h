// Faults cupti.shuffle=in+across+buffers: the order of records and buffers on delivery is not what a client may rely
// on.
#pragma once

#include <vector>

#include "simgpu/cupti/activity_buffer.h"

namespace simgpu::cupti {

// Permutes, as the plan says, records inside each buffer, records of equal size between buffers, and the buffers
// themselves. The memory is still ours: closed, not yet returned.
void ShuffleRecords(std::vector<ActivityBuffer::Closed>* buffers);

}  // namespace simgpu::cupti
