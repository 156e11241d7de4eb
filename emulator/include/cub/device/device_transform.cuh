/* SPDX-License-Identifier: Apache-2.0 */
/* device_transform.cuh: cub::DeviceTransform is not emulated: the toolkit's kernels copy
 * in bulk by inline PTX. */
