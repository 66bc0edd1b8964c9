import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { forbiddenImports, importCycles, importsPastAnIndex, layers, root, sourceFiles } from './sources.js';

const files = Object.keys(layers).flatMap(sourceFiles);
const offenders = (pattern: RegExp, allowed: RegExp): readonly string[] =>
  files
    .filter((file) => !allowed.test(file))
    .flatMap((file) =>
      readFileSync(join(root, file), 'utf8')
        .split('\n')
        .flatMap((line, at) =>
          pattern.test(line) && !/^\s*(\/\/|\/?\*)/.test(line) ? [`${file}:${at + 1} ${line.trim()}`] : [],
        ),
    );

describe('in the architecture,', () => {
  it('imports never run upwards', () => expect(forbiddenImports()).toEqual([]));

  it('other layers import a layer through its index', () => expect(importsPastAnIndex()).toEqual([]));

  it('imports never form a cycle', () => expect(importCycles()).toEqual([]));

  it('only base and the programs read the clock, set timers or draw random numbers', () => {
    const ambient =
      /\bDate\.now\(|\bnew Date\(\)|(?<![.\w])set(Timeout|Interval)\(|\bMath\.random\(|randomUUID\(/;
    // XState names its own clock interface after the timers.
    // Pages in a browser use the browser's timers.
    const allowed = /^(base|cli|bench|dashboard\/page)\/|^runtime\/actors\/xstate-clock/;
    expect(offenders(ambient, allowed)).toEqual([]);
  });

  it('only the programs read environment variables and arguments and set exit codes', () => {
    expect(offenders(/\bprocess\.(env|argv|exit|exitCode|on|once)\b/, /^(cli|bench)\//)).toEqual([]);
  });

  it('the product word appears only in the vocabulary', () => {
    const word = /['"`][^'"`]*(\borch\.io|k8s\.io|kubernetes|kube-|\borch-)/;
    // The museum cites issues of other projects.
    expect(offenders(word, /^(api\/vocabulary|cli|bench|examples|chaos\/museum)\//)).toEqual([]);
  });

  it('only the listener, the transport and the remote store open sockets', () => {
    const socket = /from 'node:(net|tls|http|https|http2|dgram)'/;
    const allowed =
      /^(apiserver\/(http\/listener|storage\/etcd\/channel)|runtime\/client\/(.*transport|upgraded-connection)|cli\/|bench\/)/;
    expect(
      offenders(socket, allowed).filter((line) => !line.includes('isIP') && !line.includes('import type')),
    ).toEqual([]);
  });

  it('examples import only the public entry points, and stay small', () => {
    const examples = sourceFiles('examples');
    const imports = examples.flatMap((file) =>
      [...readFileSync(join(root, file), 'utf8').matchAll(/from '([^']+)'/g)].map(([, name]) => name ?? ''),
    );
    const allowed = /^(orch\/(api|machines|runtime|chaos)|xstate|\.\/[\w-]+\.ts)$/;
    expect(imports.filter((name) => !allowed.test(name))).toEqual([]);
    const lines = (file: string): number => readFileSync(join(root, file), 'utf8').split('\n').length - 1;
    expect(examples.filter((file) => lines(file) >= 100)).toEqual([]);
  });
});
