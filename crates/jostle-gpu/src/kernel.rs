//! A kernel: WGSL put together from parts, compiled, and bound to buffers in the order of its bindings.

use crate::device::Gpu;

/// Exclusive sums over a workgroup, as the device does them best.
pub(crate) fn workgroup_scan(gpu: &Gpu) -> &'static str {
    if gpu.use_subgroups() {
        include_str!("wgsl/workgroup_scan_subgroup.wgsl")
    } else {
        include_str!("wgsl/workgroup_scan_shared.wgsl")
    }
}

/// A compiled kernel.
#[derive(Debug)]
pub(crate) struct Kernel {
    pipeline: wgpu::ComputePipeline,
    name: &'static str,
}

impl Kernel {
    /// Compiles the parts as one module, entry point `main`. Kernels clear shared memory themselves where they need it.
    pub(crate) fn new(gpu: &Gpu, name: &'static str, parts: &[&str]) -> Self {
        let module = gpu.device().create_shader_module(wgpu::ShaderModuleDescriptor {
            label: Some(name),
            source: wgpu::ShaderSource::Wgsl(parts.concat().into()),
        });
        let pipeline = gpu.device().create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: Some(name),
            layout: None,
            module: &module,
            entry_point: Some("main"),
            compilation_options: wgpu::PipelineCompilationOptions {
                zero_initialize_workgroup_memory: false,
                ..Default::default()
            },
            cache: None,
        });
        Self { pipeline, name }
    }

    /// Binds buffers to the kernel's bindings 0, 1, 2, ...
    pub(crate) fn bind(&self, gpu: &Gpu, buffers: &[&wgpu::Buffer]) -> wgpu::BindGroup {
        let entries: Vec<wgpu::BindGroupEntry<'_>> = buffers
            .iter()
            .enumerate()
            .map(|(binding, buffer)| wgpu::BindGroupEntry {
                binding: binding as u32,
                resource: buffer.as_entire_binding(),
            })
            .collect();
        gpu.device().create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some(self.name),
            layout: &self.pipeline.get_bind_group_layout(0),
            entries: &entries,
        })
    }

    /// Runs so many workgroups.
    pub(crate) fn dispatch(
        &self,
        gpu: &Gpu,
        pass: &mut wgpu::ComputePass<'_>,
        bindings: &wgpu::BindGroup,
        groups: u32,
    ) {
        let (x, y) = gpu.groups(groups);
        pass.set_pipeline(&self.pipeline);
        pass.set_bind_group(0, bindings, &[]);
        pass.dispatch_workgroups(x, y, 1);
    }
}
