import { join } from 'node:path';
import type { Node, SourceFile } from 'typescript/unstable/ast';
import { API, type Project } from 'typescript/unstable/sync';
import { CodedError } from '../../../base/errors/index.ts';
import type { Syntax } from './change.ts';

/** Parsed sources of a checkout. */
export interface Sources extends Syntax, Disposable {
  /** Paths of all files of the project, relative to the root. */
  readonly names: readonly string[];
  /** Returns a parsed file. Throws `ERR_SOURCE` if the project has no such file. */
  fileNamed(name: string): SourceFile;
}

/** Opens the project of a configuration file below `root`. `dispose` ends the process of the compiler. */
export function openSources(root: string, configuration = 'tsconfig.build.json'): Sources {
  const config = join(root, configuration);
  const api = new API({ cwd: root });
  const project = api.updateSnapshot({ openProjects: [config] }).getProject(config);
  if (!project) {
    api.close();
    throw new CodedError('ERR_SOURCE', `the compiler found no project in ${config}`);
  }
  return new ProjectSources(root, api, project);
}

class ProjectSources implements Sources {
  readonly #root: string;
  readonly #api: API;
  readonly #project: Project;
  readonly names: readonly string[];

  constructor(root: string, api: API, project: Project) {
    this.#root = root;
    this.#api = api;
    this.#project = project;
    this.names = project.rootFiles.map((file) => file.slice(root.length + 1)).toSorted();
  }

  fileNamed(name: string): SourceFile {
    const file = this.#project.program.getSourceFile(join(this.#root, name));
    if (!file) throw new CodedError('ERR_SOURCE', `the project has no file ${name}`);
    return file;
  }

  textOf(node: Node): string {
    return node.getText();
  }

  typesOf(nodes: readonly Node[]): readonly (string | undefined)[] {
    const { checker } = this.#project;
    return checker.getTypeAtLocation(nodes).map((type) => type && checker.typeToString(type));
  }

  [Symbol.dispose](): void {
    this.#api.close();
  }
}
