# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Build of the ament_python package, by colcon or by pip.

Name, maintainer, licence and address are written once, in package.xml.
"""

import xml.etree.ElementTree as ElementTree
from glob import glob
from pathlib import Path

from setuptools import find_packages, setup

HERE = Path(__file__).parent
manifest = ElementTree.parse(HERE / 'package.xml').getroot()
author, maintainer = manifest.find('author'), manifest.find('maintainer')
package_name = manifest.findtext('name')

# One consistent ROS 2 Kilted set from PyPI; a ROS 2 installation brings its own instead. There are
# wheels of it for one system; on others the extra `ros` brings nothing.
HAS_ROS = 'sys_platform == "linux" and platform_machine == "x86_64"'
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

# The viewer; there is no smaller wheel of it (170 MB), and none for Python 3.10.
RERUN = 'rerun-sdk==0.41.*; python_version >= "3.11"'

# The documentation site; with the tests, for a strict build of it is one.
DOCS = ['furo', 'myst-nb', 'sphinx']

setup(
    name=package_name,
    version='0.1.0',  # as in package.xml; catkin_prepare_release changes it here, too
    package_dir={'': 'src'},
    packages=find_packages('src'),
    package_data={f'{package_name}.core.environment': ['coefficients/*.txt']},
    data_files=[
        ('share/ament_index/resource_index/packages', [f'resource/{package_name}']),
        (f'share/{package_name}', ['package.xml']),
        (f'share/{package_name}/launch', glob('launch/*.launch.py')),
        (f'share/{package_name}/config', glob('config/*.*')),
        (f'share/{package_name}/config/scenarios', glob('config/scenarios/*.yaml')),
        (f'share/{package_name}/config/formations', glob('config/formations/*.yaml')),
        (f'share/{package_name}/config/network', glob('config/network/*.xml')),
        (f'share/{package_name}/config/security', glob('config/security/*.xml')),
        (f'share/{package_name}/config/sensors', glob('config/sensors/*.yaml')),
        (f'share/{package_name}/config/actuators', glob('config/actuators/*.yaml')),
        (f'share/{package_name}/config/campaigns', glob('config/campaigns/*.yaml')),
        (f'share/{package_name}/config/examination', glob('config/examination/*.yaml')),
        (f'share/{package_name}/examples/examination', glob('examples/examination/*.py')),
        # What `ros2 run` and launch files find, however the package was installed.
        (f'lib/{package_name}', glob('scripts/*')),
    ],
    python_requires='>=3.10',
    install_requires=[
        'matplotlib',
        'numba>=0.58',  # kernels/one_module.py changes its compiler
        'numpy',
        'pillow',
        'pyerfa',
        'PyYAML',
        'rosbags',
        'ruamel.yaml.clib',  # with it rosbags opens a bag four times as fast
        'scipy',
        'setuptools',
        'sgp4',
        'transforms3d>=0.4.2',
    ],
    extras_require={
        'air': ['pymsis'],
        'campaign': ['distributed', 'pyarrow'],
        'design': ['control'],
        'docs': DOCS,
        'examples': ['imufusion'],
        'fmi': ['fmpy', 'pythonfmu3'],
        'learn': ['gymnasium'],
        'px4': ['pymavlink'],
        'rivals': [
            'ahrs',
            'bsk',
            'drake',
            'filterpy',
            'gtsam; python_version >= "3.11"',
            'mujoco',
            'pybullet',
        ],
        'ros': [f'{name}; {HAS_ROS}' for name in ROS_WHEELS],
        'spice': ['spiceypy'],
        'mesh': ['trimesh'],
        'symbolic': ['sympy'],
        'tables': ['pandas'],
        'train': ['cma', 'gymnasium'],
        'view': [RERUN],
        'test': [
            *DOCS,
            'cma',
            'colcon-core',
            'colcon-ros',
            'control',
            'distributed',
            'filterpy',
            'fmpy',
            'gymnasium',
            'imufusion',
            'mpmath',
            'mypy',
            'pandas',
            'pyarrow',
            'pymavlink',
            'pymsis',
            'pytest',
            'pytest-xdist',
            'pythonfmu3',
            RERUN,
            'ruff',
            'spiceypy',
            'sympy',
            'trimesh',
            'types-PyYAML',
        ],
    },
    zip_safe=True,
    author=author.text,
    author_email=author.get('email'),
    maintainer=maintainer.text,
    maintainer_email=maintainer.get('email'),
    url=manifest.findtext('url'),
    description=manifest.findtext('description'),
    long_description=(HERE / 'README.md').read_text(encoding='utf-8'),
    long_description_content_type='text/markdown',
    license=manifest.findtext('license'),
    keywords=['ROS', 'ROS 2', 'spacecraft', 'attitude', 'simulation'],
    classifiers=[
        'Development Status :: 4 - Beta',
        'Intended Audience :: Science/Research',
        'Operating System :: MacOS',
        'Operating System :: Microsoft :: Windows',
        'Operating System :: POSIX :: Linux',
        'Programming Language :: Python :: 3.10',
        'Programming Language :: Python :: 3.11',
        'Programming Language :: Python :: 3.12',
        'Programming Language :: Python :: 3.13',
        'Topic :: Scientific/Engineering :: Physics',
    ],
    entry_points={'console_scripts': ['attitude-sim = spacecraft_attitude_sim.start:main']},
)
