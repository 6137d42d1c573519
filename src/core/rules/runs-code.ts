/**
 * The table `runs-code`: files by which a project makes programs run, tells agents what to do, says what is installed,
 * or keeps secrets. No rule covers a path with one of these names in it. Names are compared without regard to case and
 * to how letters with marks are composed, as some file systems do.
 */

/** Each at any depth, a folder with all that is in it. `*` stands for any characters. */
const NAMES = [
  // Hidden ones: repositories, environments, hooks, editors, shells, and the configuration of nearly every tool.
  ".* git~* _netrc",
  // Agents: configuration and instructions.
  "claude*.md agent*.md codex*.md warp.md gemini*.md qwen*.md crush.md skill.md memory.md conventions.md copilot-instructions.md",
  "*.instructions.md *.prompt.md *.chatmode.md llms*.txt opencode.json* crush.json* mcp.json",
  // Secrets.
  "secrets.json secrets.y*ml secrets.toml credentials credentials.* id_rsa* id_dsa* id_ecdsa* id_ed25519*",
  "*.pem *.key *.p12 *.pfx *.keystore *.jks *.kdbx",
  // What runs elsewhere: builds, deployments, infrastructure.
  "action.y*ml buildspec.y*ml kustomization.y*ml helmfile* appveyor.yml azure-pipelines* bitbucket-pipelines* jenkinsfile* cloudbuild* netlify.toml vercel.json fly.toml",
  "render.yaml app.yaml wrangler.toml wrangler.json* firebase.json serverless.* *.tf *.tf.json *.tfvars* *.tofu terragrunt* pulumi*",
  "ansible* chart.yaml skaffold* tiltfile vagrantfile procfile* codecov.y*ml renovate.json* lefthook*",
  "dockerfile* *.dockerfile containerfile* docker-compose* docker-bake.* compose.y*ml compose.*.y*ml",
  "*.nix flake.lock devbox.* devenv.* crontab* *.service *.timer *.socket *.desktop *.plist",
  // JavaScript.
  "package.json* package.y*ml package-lock.json npm-shrinkwrap.json yarn.lock pnpm-lock.yaml pnpm-workspace.yaml",
  "bun.lock* bunfig.toml deno.json* deno.lock jsr.json node_modules bower.json lerna.json nx.json turbo.json",
  "rush.json project.json workspace.json *.config.* gulpfile* gruntfile* jakefile* tsconfig*.json jsconfig*.json",
  "hooks githooks *.conf.js *.conf.ts *.conf.mjs *.conf.cjs *.mix.js ember-cli-build.js truffle-config.js setup.*",
  "vitest.* jest.* karma.* cypress.* *.setup.* setuptests.* setup-tests.* globalsetup* global-setup* test-setup*",
  // Builds.
  "makefile* gnumakefile* bsdmakefile* *.mk *.mak justfile* *.just taskfile* rakefile* *.rake cmakelists.txt *.cmake",
  "cmakepresets.json cmakeuserpresets.json meson.build meson.options meson_options.txt build build.* *.bazel *.bzl",
  "workspace buck pants.toml sconstruct* sconscript* wscript configure configure.* *.m4 *.am *.ninja *.gyp *.gypi",
  "brewfile* guardfile capfile snakefile cakefile dangerfile premake* xmake.lua config.ru artisan local_settings.py",
  "*.podspec *.nimble *.vim",
  "earthfile dagger.json mise.* bin sbin",
  // Python.
  "setup.py setup.cfg pyproject.toml conftest.py pytest pytest.* tox.ini tox.toml noxfile.py tasks.py fabfile*",
  "dodo.py manage.py requirements* constraints*.txt pipfile* poetry.* uv.lock uv.toml pdm.* pixi.* environment.y*ml",
  "sitecustomize* usercustomize* *.pth venv pylintrc mypy.ini ruff.toml __pycache__ *.pyc *.pyd *.so",
  // Rust, Go, Ruby, PHP, Java and others.
  "cargo.toml cargo.lock build.rs rust-toolchain* rustfmt.toml clippy.toml go.mod go.sum go.work*",
  "gemfile* gems.* *.gemspec spec_helper.rb rails_helper.rb test_helper.* composer.* phpunit* php.ini",
  "pom.xml mvnw* *.gradle *.gradle.kts gradle* *.sbt build.sc ivy.xml mix.exs mix.lock rebar.* package.swift",
  "package.resolved podfile* cartfile* fastlane fastfile* *.xcodeproj *.xcworkspace *.xcconfig *.csproj *.fsproj",
  "*.vbproj *.vcxproj *.sln* *.props *.targets nuget.config global.json packages.lock.json pubspec.*",
  "analysis_options.yaml stack.yaml* *.cabal cabal.* dune* *.opam project.clj deps.edn bb.edn *.rockspec",
  // Editors.
  "*.code-workspace *.sublime-* compile_commands.json autorun.inf",
];

/** Each in the pieces around its stars. */
const patterns = NAMES.flatMap((line) => line.split(" ")).map((name) => name.split("*"));

/** Whether one of the names is in the table. @param names those of a path, from its folder down */
export function runsCode(names: readonly string[]): boolean {
  return names.map(folded).some((name) => patterns.some((pieces) => isLike(name, pieces)));
}

/** The pieces stand in it one after the other, the first at its start and the last at its end. */
function isLike(name: string, [first = "", ...more]: readonly string[]): boolean {
  const last = more.pop();
  if (last === undefined) return name === first;
  if (!name.startsWith(first)) return false;
  let at = first.length;
  for (const piece of more) {
    const found = name.indexOf(piece, at);
    if (found < 0) return false;
    at = found + piece.length;
  }
  return name.endsWith(last) && name.length - last.length >= at;
}

/** As a file system that knows no case may see it: `ſ` is an `s` there, and a dot at the end is nothing. */
function folded(name: string): string {
  return name
    .normalize("NFC")
    .toUpperCase()
    .toLowerCase()
    .normalize("NFC")
    .replace(/(?<![. ])[. ]+$/, "");
}
