import { describe, expect, it } from 'vitest';
import { filesLoadedBy } from './sources.js';

/** Returns those of the directories that a program loads before it reads its arguments. */
const foldersOf = (entry: string, folders: readonly string[]): readonly string[] => {
  const files = filesLoadedBy(entry);
  return folders.filter((folder) => files.some((file) => file.startsWith(`${folder}/`)));
};

// Loading takes time at each start of a program: 300 ms for the server, the kinds and the controllers.
describe('before it reads its arguments,', () => {
  it('orch loads no server, no controller and no chaos code', () => {
    const heavy = ['apiserver', 'controllers', 'chaos', 'machines', 'runtime', 'api/groups', 'api/schema'];
    expect(foldersOf('cli/orch.ts', heavy)).toEqual([]);
  });

  it('orchctl loads no controller, no kind and no queue', () => {
    const heavy = ['chaos', 'controllers', 'machines', 'api/groups', 'api/openapi', 'runtime/queue'];
    expect(foldersOf('cli/orchctl.ts', heavy)).toEqual([]);
  });

  it('orchctl loads no verb, no client and no YAML parser', () => {
    const files = filesLoadedBy('cli/orchctl.ts');
    expect(files.filter((file) => /^(runtime|apiserver|api\/yaml|base\/yaml)\//.test(file))).toEqual([]);
    expect(files.length).toBeLessThan(60);
  });

  it('orchctl get loads no more than its verb and the client', () => {
    const files = [...filesLoadedBy('cli/ctl/get.ts'), ...filesLoadedBy('cli/ctl/connection.ts')];
    expect(
      files.filter((file) => /^(apiserver|controllers|machines|chaos|api\/groups)\//.test(file)),
    ).toEqual([]);
    expect(new Set(files).size).toBeLessThan(170);
  });

  it('orch up loads the server, so the measurement detects loaded code', () => {
    expect(foldersOf('cli/up/up.ts', ['apiserver'])).toEqual(['apiserver']);
  });
});
