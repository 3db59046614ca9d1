# SPDX-License-Identifier: BSD-3-Clause
"""The Spack recipe of armci-ofi; packaging/README.md says how to use it."""

import pathlib

from spack_repo.builtin.build_systems.cmake import CMakePackage, generator

from spack.package import *


class ArmciOfi(CMakePackage):
    """One-sided communication below Global Arrays and NWChem (ARMCI), over libfabric."""

    # The repository that this recipe is a part of.
    git = pathlib.Path(__file__).resolve().parents[6].as_uri()

    maintainers("armci-ofi")

    license("BSD-3-Clause", checked_by="armci-ofi")

    version("main", branch="main")

    provides("armci")

    variant("fortran", default=True, description="Build the Fortran module")
    variant("tools", default=True, description="Build tools such as armci-info and armci-bench")
    variant("man", default=False, when="+tools", description="Make manual pages with pandoc")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("fortran", type="build", when="+fortran")

    depends_on("cmake@3.22:", type="build")
    depends_on("ninja", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("pandoc", type="build", when="+man")

    depends_on("mpi")
    depends_on("libfabric@1.17:")
    depends_on("hwloc@2.1:")
    depends_on("cli11@2.1:", type="build", when="+tools")
    depends_on("nlohmann-json@3.11:", type="build", when="+tools")
    depends_on("python@3.9:", type="run", when="+tools")

    conflicts("%gcc@:10", msg="needs a compiler for C++20")
    conflicts("platform=darwin", msg="needs Linux")
    conflicts("platform=windows", msg="needs Linux")

    generator("ninja")

    def cmake_args(self):
        args = [
            self.define("CMAKE_UNITY_BUILD", True),
            self.define("ARMCI_BUILD_TESTS", False),
            self.define("ARMCI_BUILD_EXAMPLES", False),
            self.define_from_variant("ARMCI_BUILD_TOOLS", "tools"),
            self.define_from_variant("ARMCI_BUILD_FORTRAN", "fortran"),
            self.define("MPI_C_COMPILER", self.spec["mpi"].mpicc),
        ]
        if self.spec.satisfies("~man"):
            args.append(self.define("ARMCI_PANDOC", ""))  # also where the system has pandoc
        if self.spec.satisfies("+fortran"):
            args.append(self.define("MPI_Fortran_COMPILER", self.spec["mpi"].mpifc))
        return args

    @run_after("install", when="+tools")
    def use_python_of_spack(self):
        filter_file(
            "#!/usr/bin/python3",
            f"#!{self.spec['python'].command.path}",
            join_path(self.prefix.bin, "armci-plot"),
            string=True,
        )

    def test_first_put(self):
        """an example program builds and runs with the installed library"""
        source = join_path(self.prefix.share.doc.armci.examples, "first_put.c")
        compiler = which(self.spec["mpi"].mpicc, required=True)
        compiler(
            source,
            f"-I{self.prefix.include}",
            f"-L{self.prefix.lib}",
            f"-Wl,-rpath,{self.prefix.lib}",
            "-larmci",
            "-o",
            "first_put",
        )
        mpiexec = which(join_path(self.spec["mpi"].prefix.bin, "mpiexec"), required=True)
        mpiexec("-n", "2", "./first_put")
