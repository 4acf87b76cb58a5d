//! Opening a GPU: which adapter, with what limits, and what became of it.
//!
//! A [`Gpu`] is a handle to one open device; clones share it. Errors the device reports at any time are kept here and
//! handed out by [`Gpu::check`] after each piece of work.

use std::sync::{Arc, Mutex};

use crate::error::GpuError;

/// Which adapter to open.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum AdapterChoice {
    /// A discrete GPU if there is one, else an integrated one; never a software adapter.
    #[default]
    Hardware,
    /// As `Hardware`, but a software adapter where there is nothing better: for tests.
    Any,
    /// The first adapter whose name contains this, whatever its kind. Upper and lower case are the same.
    Named(String),
    /// The adapter at this place in [`adapter_list`], whatever its kind.
    Numbered(usize),
}

impl AdapterChoice {
    /// What the variable `JOSTLE_ADAPTER` names, or the best GPU where it is not set.
    pub fn from_environment() -> Self {
        std::env::var("JOSTLE_ADAPTER").map_or(Self::Hardware, Self::Named)
    }
}

/// What is known of an adapter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AdapterDescription {
    /// Its name, as the driver gives it.
    pub name: String,
    /// Its kind: `discrete`, `integrated`, `virtual`, `software` or `other`.
    pub kind: &'static str,
    /// The interface it is reached by.
    pub interface: String,
    /// The driver and its version.
    pub driver: String,
    /// The most bytes a kernel can see of one buffer.
    pub binding_bytes: u64,
    /// How many threads a subgroup has at least and at most; none where the adapter has no subgroup operations.
    pub subgroup: Option<(u32, u32)>,
    /// Can the device take the time of stages by itself?
    pub timestamps: bool,
}

/// An open device.
#[derive(Clone, Debug)]
pub struct Gpu {
    device: wgpu::Device,
    queue: wgpu::Queue,
    limits: wgpu::Limits,
    description: Arc<AdapterDescription>,
    use_subgroups: bool,
    fault: Arc<Mutex<Option<GpuError>>>,
}

/// Threads per workgroup of most kernels.
const WORKGROUP: u32 = 256;
/// Shared memory the kernels need at most, in bytes.
const SHARED_BYTES: u32 = 16 << 10;
/// Buffers a kernel binds at most.
const STORAGE_BUFFERS: u32 = 8;

impl Gpu {
    /// Opens an adapter.
    pub fn open(choice: &AdapterChoice) -> Result<Self, GpuError> {
        let adapters = adapters();
        let chosen = choose(&adapters, choice)?;
        let description = describe(chosen);
        let adapter_limits = chosen.limits();
        check_limits(&description, &adapter_limits)?;
        let wanted = wgpu::Features::TIMESTAMP_QUERY | wgpu::Features::SUBGROUP;
        let features = chosen.features() & wanted;
        let descriptor = wgpu::DeviceDescriptor {
            label: Some("jostle"),
            required_features: features,
            required_limits: adapter_limits.clone(),
            memory_hints: wgpu::MemoryHints::Performance,
            ..Default::default()
        };
        let (device, queue) = pollster::block_on(chosen.request_device(&descriptor)).map_err(|error| {
            GpuError::NoDevice { adapter: description.name.clone(), reason: error.to_string() }
        })?;
        let fault = Arc::new(Mutex::new(None));
        let keep = Arc::clone(&fault);
        device.on_uncaptured_error(Arc::new(move |error| {
            note(&keep, GpuError::Refused { reason: first_line(&error) });
        }));
        let keep = Arc::clone(&fault);
        device.set_device_lost_callback(move |reason, message| {
            let reason = if message.is_empty() { format!("{reason:?}") } else { message };
            *keep.lock().unwrap_or_else(|poisoned| poisoned.into_inner()) =
                Some(GpuError::DeviceLost { reason });
        });
        let use_subgroups = serves_subgroups(&description);
        Ok(Self {
            device,
            queue,
            limits: adapter_limits,
            description: Arc::new(description),
            use_subgroups,
            fault,
        })
    }

    /// The adapter behind the device.
    pub fn description(&self) -> &AdapterDescription {
        &self.description
    }

    /// The device itself, for callers who share it.
    pub fn device(&self) -> &wgpu::Device {
        &self.device
    }

    /// Its queue.
    pub fn queue(&self) -> &wgpu::Queue {
        &self.queue
    }

    /// The same device, with kernels that use no subgroup operations.
    pub fn without_subgroups(&self) -> Self {
        Self { use_subgroups: false, ..self.clone() }
    }

    /// The most bytes one buffer may have that a kernel sees as a whole.
    pub fn binding_bytes(&self) -> u64 {
        self.limits.max_storage_buffer_binding_size.min(self.limits.max_buffer_size)
    }

    pub(crate) fn use_subgroups(&self) -> bool {
        self.use_subgroups
    }

    /// The grid of workgroups for a number of them: a device allows only so many in one dimension.
    pub(crate) fn groups(&self, count: u32) -> (u32, u32) {
        let x = count.clamp(1, self.limits.max_compute_workgroups_per_dimension);
        (x, count.div_ceil(x).max(1))
    }

    /// A buffer, or why there is none.
    pub(crate) fn buffer(
        &self,
        what: &'static str,
        bytes: u64,
        usage: wgpu::BufferUsages,
    ) -> Result<wgpu::Buffer, GpuError> {
        self.make_buffer(what, bytes, usage, false)
    }

    /// A buffer that the host can write to at once.
    pub(crate) fn mapped_buffer(
        &self,
        what: &'static str,
        bytes: u64,
        usage: wgpu::BufferUsages,
    ) -> Result<wgpu::Buffer, GpuError> {
        self.make_buffer(what, bytes, usage, true)
    }

    fn make_buffer(
        &self,
        what: &'static str,
        bytes: u64,
        usage: wgpu::BufferUsages,
        mapped_at_creation: bool,
    ) -> Result<wgpu::Buffer, GpuError> {
        let bytes = bytes.next_multiple_of(16).max(16);
        let limit = self.binding_bytes();
        if bytes > limit {
            let adapter = self.description.name.clone();
            return Err(GpuError::TooLarge { adapter, what, limit, need: bytes });
        }
        let scope = self.device.push_error_scope(wgpu::ErrorFilter::OutOfMemory);
        let descriptor = wgpu::BufferDescriptor { label: Some(what), size: bytes, usage, mapped_at_creation };
        let buffer = self.device.create_buffer(&descriptor);
        if pollster::block_on(scope.pop()).is_some() {
            return Err(GpuError::OutOfMemory { what, bytes });
        }
        self.check()?;
        Ok(buffer)
    }

    /// Waits until all work handed over is done.
    pub fn wait(&self) -> Result<(), GpuError> {
        self.wait_for(None)
    }

    /// Waits until this work is done, or all where none is named.
    pub(crate) fn wait_for(&self, submission_index: Option<wgpu::SubmissionIndex>) -> Result<(), GpuError> {
        let result = self.device.poll(wgpu::PollType::Wait { submission_index, timeout: None });
        self.check()?;
        result.map(drop).map_err(|error| GpuError::DeviceLost { reason: error.to_string() })
    }

    /// Has the device reported an error?
    pub fn check(&self) -> Result<(), GpuError> {
        let mut fault = self.fault.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        match &*fault {
            None => Ok(()),
            // A lost device stays lost; a refused command is told once.
            Some(GpuError::DeviceLost { reason }) => Err(GpuError::DeviceLost { reason: reason.clone() }),
            Some(_) => Err(fault.take().expect("it was there")),
        }
    }
}

/// All adapters of this machine.
pub fn adapter_list() -> Vec<AdapterDescription> {
    adapters().iter().map(describe).collect()
}

fn adapters() -> Vec<wgpu::Adapter> {
    let mut descriptor = wgpu::InstanceDescriptor::new_without_display_handle();
    descriptor.backends = wgpu::Backends::PRIMARY;
    descriptor.flags = wgpu::InstanceFlags::empty();
    let instance = wgpu::Instance::new(descriptor);
    pollster::block_on(instance.enumerate_adapters(wgpu::Backends::PRIMARY))
}

fn choose<'a>(adapters: &'a [wgpu::Adapter], choice: &AdapterChoice) -> Result<&'a wgpu::Adapter, GpuError> {
    if let AdapterChoice::Named(name) = choice {
        let wanted = name.to_lowercase();
        let named = adapters.iter().find(|adapter| adapter.get_info().name.to_lowercase().contains(&wanted));
        return named.ok_or_else(|| {
            let names: Vec<String> = adapters.iter().map(|adapter| adapter.get_info().name).collect();
            let known = if names.is_empty() { "none".to_string() } else { names.join(", ") };
            GpuError::UnknownAdapter { name: name.clone(), known }
        });
    }
    if let AdapterChoice::Numbered(index) = choice {
        let known = format!("{} of them", adapters.len());
        return adapters
            .get(*index)
            .ok_or_else(|| GpuError::UnknownAdapter { name: format!("number {index}"), known });
    }
    let best = adapters.iter().min_by_key(|adapter| rank(adapter.get_info().device_type));
    let best = best.ok_or(GpuError::NoAdapter)?;
    let info = best.get_info();
    if info.device_type == wgpu::DeviceType::Cpu && *choice == AdapterChoice::Hardware {
        return Err(GpuError::SoftwareOnly { name: info.name });
    }
    Ok(best)
}

fn rank(kind: wgpu::DeviceType) -> u32 {
    match kind {
        wgpu::DeviceType::DiscreteGpu => 0,
        wgpu::DeviceType::IntegratedGpu => 1,
        wgpu::DeviceType::VirtualGpu => 2,
        wgpu::DeviceType::Other => 3,
        wgpu::DeviceType::Cpu => 4,
    }
}

fn describe(adapter: &wgpu::Adapter) -> AdapterDescription {
    let info = adapter.get_info();
    let (features, limits) = (adapter.features(), adapter.limits());
    AdapterDescription {
        name: info.name,
        kind: match info.device_type {
            wgpu::DeviceType::DiscreteGpu => "discrete",
            wgpu::DeviceType::IntegratedGpu => "integrated",
            wgpu::DeviceType::VirtualGpu => "virtual",
            wgpu::DeviceType::Cpu => "software",
            wgpu::DeviceType::Other => "other",
        },
        interface: format!("{:?}", info.backend).to_lowercase(),
        driver: format!("{} {}", info.driver, info.driver_info).trim().to_string(),
        binding_bytes: limits.max_storage_buffer_binding_size.min(limits.max_buffer_size),
        subgroup: features
            .contains(wgpu::Features::SUBGROUP)
            .then_some((info.subgroup_min_size, info.subgroup_max_size)),
        timestamps: features.contains(wgpu::Features::TIMESTAMP_QUERY),
    }
}

/// Kernels with subgroup operations rely on whole subgroups, all of one size.
fn serves_subgroups(description: &AdapterDescription) -> bool {
    matches!(description.subgroup, Some((least, most)) if least == most && (4..=128).contains(&least))
}

fn check_limits(description: &AdapterDescription, limits: &wgpu::Limits) -> Result<(), GpuError> {
    let checks = [
        ("threads in a workgroup", limits.max_compute_invocations_per_workgroup, WORKGROUP),
        ("bytes of shared memory", limits.max_compute_workgroup_storage_size, SHARED_BYTES),
        ("storage buffers for a kernel", limits.max_storage_buffers_per_shader_stage, STORAGE_BUFFERS),
    ];
    for (what, limit, need) in checks {
        if limit < need {
            let adapter = description.name.clone();
            return Err(GpuError::TooSmall { adapter, what, limit: limit.into(), need: need.into() });
        }
    }
    Ok(())
}

/// Keeps the first error: later ones follow from it.
fn note(fault: &Mutex<Option<GpuError>>, error: GpuError) {
    fault.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).get_or_insert(error);
}

fn first_line(error: &wgpu::Error) -> String {
    error.to_string().lines().map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join("; ")
}
