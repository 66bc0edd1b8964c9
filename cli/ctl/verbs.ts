import type { Described } from '../help/command-help.ts';
import { type LocalVerb, type Verb, verb } from './verb.ts';

/** Verb in the overview. Its module is loaded only when it is called. */
export interface VerbEntry extends Described {
  readonly load: () => Promise<Verb | LocalVerb>;
}

/** Verbs of the program, in the order of the overview. */
export const verbs: { readonly [name: string]: VerbEntry } = {
  get: {
    takes: 'TYPE[/NAME] [NAME ...]',
    about: 'shows objects',
    load: async () => {
      const { get, getFlags } = await import('./get.ts');
      return verb(getFlags, get);
    },
  },
  describe: {
    takes: 'cronjob NAME',
    about: 'shows a schedule with its next runs',
    load: async () => {
      const { describe, previewFlags } = await import('./describe.ts');
      return verb(previewFlags, describe);
    },
  },
  apply: {
    takes: '-f FILE',
    about: 'applies files on the server side',
    load: async () => {
      const { apply, applyFlags } = await import('./apply.ts');
      return verb(applyFlags, apply);
    },
  },
  create: {
    takes: '-f FILE',
    about: 'creates the objects of files',
    load: async () => {
      const { create, createFlags } = await import('./create.ts');
      return verb(createFlags, create);
    },
  },
  patch: {
    takes: 'TYPE NAME -p PATCH',
    about: 'changes a part of an object',
    load: async () => {
      const { patch, patchFlags } = await import('./patch.ts');
      return verb(patchFlags, patch);
    },
  },
  delete: {
    takes: 'TYPE NAME ... or -f FILE',
    about: 'deletes objects',
    load: async () => {
      const { deleteFlags, remove } = await import('./delete.ts');
      return verb(deleteFlags, remove);
    },
  },
  wait: {
    takes: 'TYPE NAME ... or -f FILE',
    about: 'waits for a condition, a value or the end of objects',
    load: async () => {
      const { wait, waitFlags } = await import('./wait.ts');
      return verb(waitFlags, wait);
    },
  },
  'api-resources': {
    about: 'lists the resources the server has',
    load: async () => {
      const { apiResources, apiResourcesFlags } = await import('./api-resources.ts');
      return verb(apiResourcesFlags, apiResources);
    },
  },
  'auth can-i': {
    takes: 'VERB TYPE[/NAME]',
    about: 'checks whether the user may do something',
    load: async () => {
      const { canI, canIFlags } = await import('./access.ts');
      return verb(canIFlags, canI);
    },
  },
  'auth whoami': {
    about: 'prints the user that the server sees',
    load: async () => verb({}, (await import('./access.ts')).whoAmI),
  },
  version: {
    about: 'prints the version of this program and of the server',
    load: async () => (await import('./version.ts')).version,
  },
  'config export-p12': {
    about: 'writes the client certificate and key to a PKCS#12 file, which browsers import',
    load: async () => {
      const { exportFlags, exportPkcs12 } = await import('./export-p12.ts');
      return {
        flags: exportFlags,
        // The parsed values are those of these flags and of the flags of every verb.
        runLocally: (words, flags) => exportPkcs12(words, flags as Parameters<typeof exportPkcs12>[1]),
      };
    },
  },
  'certificate approve': {
    takes: 'NAME ...',
    about: 'approves certificate requests',
    load: async () => {
      const { certificateFlags, decideCertificate } = await import('./access.ts');
      return verb(certificateFlags, (terminal, words, flags) =>
        decideCertificate(terminal, words, 'Approved', flags),
      );
    },
  },
  'certificate deny': {
    takes: 'NAME ...',
    about: 'denies certificate requests',
    load: async () => {
      const { certificateFlags, decideCertificate } = await import('./access.ts');
      return verb(certificateFlags, (terminal, words, flags) =>
        decideCertificate(terminal, words, 'Denied', flags),
      );
    },
  },
};
