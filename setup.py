# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Build of the ament_python package, by colcon or by pip."""

from glob import glob

from setuptools import find_packages, setup

package_name = 'spacecraft_attitude_sim'

# One consistent ROS 2 Kilted set from PyPI; a ROS 2 installation brings its own instead.
ROS_WHEELS = [
    'ros-rclpy[fastrtps]',
    'ros-builtin-interfaces',
    'ros-diagnostic-msgs',
    'ros-geometry-msgs',
    'ros-nav-msgs',
    'ros-rosgraph-msgs',
    'ros-sensor-msgs',
    'ros-std-msgs',
    'ros-std-srvs',
    'ros-visualization-msgs',
]

setup(
    name=package_name,
    version='0.1.0',
    package_dir={'': 'src'},
    packages=find_packages('src'),
    data_files=[
        ('share/ament_index/resource_index/packages', [f'resource/{package_name}']),
        (f'share/{package_name}', ['package.xml']),
        (f'share/{package_name}/launch', glob('launch/*.launch.py')),
        (f'share/{package_name}/config', glob('config/*.*')),
        (f'share/{package_name}/config/scenarios', glob('config/scenarios/*.yaml')),
        (f'share/{package_name}/config/sensors', glob('config/sensors/*.yaml')),
        (f'share/{package_name}/config/campaigns', glob('config/campaigns/*.yaml')),
        # What `ros2 run` and launch files find, however the package was installed.
        (f'lib/{package_name}', glob('scripts/*')),
    ],
    python_requires='>=3.10',
    install_requires=[
        'matplotlib',
        'numba',
        'numpy',
        'pillow',
        'PyYAML',
        'rosbags',
        'scipy',
        'setuptools',
        'transforms3d>=0.4.2',
    ],
    extras_require={
        'campaign': ['distributed', 'pyarrow'],
        'examples': ['imufusion'],
        'rivals': ['bsk', 'drake', 'mujoco', 'pybullet'],
        'ros': ROS_WHEELS,
        'mesh': ['trimesh'],
        'symbolic': ['sympy'],
        'view': ['rerun-sdk==0.41.*; python_version >= "3.11"'],
        'test': [
            'colcon-core',
            'colcon-ros',
            'distributed',
            'imufusion',
            'mpmath',
            'mypy',
            'pyarrow',
            'pytest',
            'ruff',
            'sympy',
            'trimesh',
            'types-PyYAML',
        ],
    },
    zip_safe=True,
    maintainer='The spacecraft_attitude_sim authors',
    maintainer_email='maintainers@spacecraft-attitude-sim.invalid',
    description='Spacecraft attitude simulation: rigid-body dynamics, IMU, recording, RViz.',
    license='Apache-2.0',
    entry_points={'console_scripts': ['attitude-sim = spacecraft_attitude_sim.start:main']},
)
