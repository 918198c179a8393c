"""Is a wheel fit to be published? Compiled modules and headers inside, no generated C, symbols stripped."""

import sys
import zipfile


def problems(path: str) -> list[str]:
    found = []
    with zipfile.ZipFile(path) as wheel:
        names = wheel.namelist()
        modules = [name for name in names if name.endswith((".so", ".pyd"))]
        for name in modules:
            content = wheel.read(name)
            if b".debug_info" in content or b".symtab" in content:
                found.append(f"{name} is not stripped")
        found += [f"{name} has no place in a wheel" for name in names if name.endswith((".c", ".html"))]
        found += [f"{name}: only the package parser belongs in" for name in names if name.split("/")[0] in STRANGERS]
        if not modules:
            found.append("no compiled module")
        for needed in ("parser/py.typed", "parser/common.pxd", "parser/check.h", "parser/treebank/scan.h"):
            if needed not in names:
                found.append(f"{needed} is missing")
        size = sum(info.compress_size for info in wheel.infolist())
    print(f"{path.split('/')[-1]}: {len(modules)} compiled modules, {size / 1e6:.1f} MB")
    return found


STRANGERS = ("tests", "benchmarks", "scripts", "docs")

if __name__ == "__main__":
    wrong = [problem for path in sys.argv[1:] for problem in problems(path)]
    print("\n".join(wrong))
    sys.exit(1 if wrong or len(sys.argv) < 2 else 0)
