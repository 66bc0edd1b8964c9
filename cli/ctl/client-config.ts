import { delimiter } from 'node:path';
import { vocabularies, vocabularyOf } from '../../api/vocabulary/index.ts';
import type { Environment } from '../../base/environment.ts';
import { type ClientConfig, bearer, loadKubeconfig, staticCredentials } from '../../runtime/client/index.ts';
import { readIfThere, readRequired } from '../files/files.ts';
import { UsageError } from '../flags/flags.ts';
import { type ConnectionFlags, OWN_CONFIG } from './connection-flags.ts';
import { type ConfigFile, mergeConfigs } from './merge-configs.ts';

/**
 * Reads the client configuration. It is named by flags, by environment variables, or in the working
 * directory; the first of these that exists wins.
 */
export async function configFile(flags: Pick<ConnectionFlags, 'kubeconfig'>): Promise<ConfigFile> {
  if (flags.kubeconfig !== '') return { path: flags.kubeconfig, text: await readRequired(flags.kubeconfig) };
  for (const { configVariable } of vocabularies) {
    const named = process.env[configVariable];
    if (named !== undefined && named !== '') return configOfList(configVariable, named);
  }
  const own = await readIfThere(OWN_CONFIG);
  if (own !== undefined) return { path: OWN_CONFIG, text: own };
  throw new UsageError(`--kubeconfig must name a client configuration: there is no ${OWN_CONFIG} here`);
}

/** Reads the files in the path list of an environment variable. Files of the list may be missing. */
async function configOfList(variable: string, named: string): Promise<ConfigFile> {
  const paths = named.split(delimiter).filter((path) => path !== '');
  const texts = await Promise.all(paths.map(readIfThere));
  const [first, ...others] = paths.flatMap((path, index) => {
    const text = texts[index];
    return text === undefined ? [] : [{ path, text }];
  });
  if (first !== undefined) return mergeConfigs([first, ...others]);
  throw new UsageError(
    paths.length === 1
      ? `${paths[0]} does not exist`
      : `none of the files that $${variable} names exists: ${named}`,
  );
}

/** Reads the client configuration and applies the flags that replace parts of it. */
export async function readConfig(flags: ConnectionFlags, { clock }: Environment): Promise<ClientConfig> {
  const { path, text: content } = await configFile(flags);
  const config = await loadKubeconfig(content, {
    path,
    readFile: readRequired,
    ...(flags.context !== '' && { context: flags.context }),
    ...(flags.vocabulary !== '' && { vocabulary: vocabularyOf(flags.vocabulary) }),
    clock,
    environment: process.env,
  });
  if (flags.as === '' && (flags['as-group'].length > 0 || flags['as-uid'] !== ''))
    throw new UsageError('--as-group and --as-uid need --as');
  return {
    ...config,
    ...(flags.token !== '' && { credentials: staticCredentials({ authorization: bearer(flags.token) }) }),
    ...(flags.as !== '' && {
      impersonate: {
        user: flags.as,
        groups: flags['as-group'],
        ...(flags['as-uid'] !== '' && { uid: flags['as-uid'] }),
      },
    }),
  };
}
