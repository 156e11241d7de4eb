/* SPDX-License-Identifier: Apache-2.0 */
/* tex_obj_input_iterator.cuh: textures are not emulated. */
