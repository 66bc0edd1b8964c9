import { readFileSync } from 'node:fs';
import { dirname, isAbsolute, resolve } from 'node:path';
import {
  mutatingWebhookConfigurations,
  validatingWebhookConfigurations,
} from '../../api/groups/admissionregistration-v1.ts';
import type { AnyKind } from '../../api/kinds/index.ts';
import { isObject } from '../../api/schema/index.ts';
import type { Vocabulary } from '../../api/vocabulary/index.ts';
import {
  type AdmissionChoice,
  AdmissionChoiceError,
  checkAdmissionChoice,
  chosenPlugins,
  parseImagePolicy,
} from '../../apiserver/admission/index.ts';
import type { Remote } from '../../apiserver/outbound/index.ts';
import type { Clock } from '../../base/clock/index.ts';
import { CodedError, messageOf } from '../../base/errors/index.ts';
import { parseYamlFile } from '../../base/yaml/index.ts';
import type { AssemblyOptions } from '../../apiserver/assembly/index.ts';
import { readParsed } from '../files/files.ts';
import { UsageError } from '../flags/flags.ts';
import { readRemote } from '../program/remote.ts';

/** Flags that select and configure admission plugins. */
export interface AdmissionFlags {
  readonly 'enable-admission-plugins': readonly string[];
  readonly 'disable-admission-plugins': readonly string[];
  readonly 'admission-control-config-file': string;
  /** Toleration of the taint `not-ready`, in seconds. */
  readonly 'default-not-ready-toleration-seconds': number;
  /** Toleration of the taint `unreachable`, in seconds. */
  readonly 'default-unreachable-toleration-seconds': number;
}

/** Options of the server for admission. */
export type AdmissionParts = Required<
  Pick<AssemblyOptions, 'admission' | 'readFile' | 'remoteOf' | 'tolerationSeconds'>
>;

/** Reads the admission flags and their files. Throws under the same conditions as `readAdmissionChoice`. */
export async function readAdmission(
  flags: AdmissionFlags,
  environment: { readonly vocabulary: Vocabulary; readonly clock: Clock },
): Promise<AdmissionParts> {
  const admission = await readAdmissionChoice(flags, environment.vocabulary);
  return {
    admission,
    readFile: readConfiguredFile,
    remoteOf: await readConfiguredRemotes(admission, environment),
    tolerationSeconds: {
      notReadySeconds: flags['default-not-ready-toleration-seconds'],
      unreachableSeconds: flags['default-unreachable-toleration-seconds'],
    },
  };
}

const CALLED_BY = {
  MutatingAdmissionWebhook: mutatingWebhookConfigurations,
  ValidatingAdmissionWebhook: validatingWebhookConfigurations,
};

/**
 * Returns warnings for webhook configurations that are served although the plugin that calls the webhooks is
 * disabled.
 */
export const uncalledWebhooks = (
  { 'disable-admission-plugins': disabled }: Pick<AdmissionFlags, 'disable-admission-plugins'>,
  serves: (kind: AnyKind) => boolean,
): readonly string[] =>
  Object.entries(CALLED_BY).flatMap(([plugin, kind]) =>
    disabled.includes(plugin) && serves(kind)
      ? [`${plugin} is disabled while ${kind.plural} are served, which --runtime-config should disable too`]
      : [],
  );

/**
 * Returns the plugins to run and their configuration. Throws `UsageError` for unknown names and `CodedError`
 * for unusable files.
 */
async function readAdmissionChoice(flags: AdmissionFlags, vocabulary: Vocabulary): Promise<AdmissionChoice> {
  const names = {
    enable: flags['enable-admission-plugins'],
    disable: flags['disable-admission-plugins'],
  };
  try {
    checkAdmissionChoice(names);
  } catch (thrown) {
    throw new UsageError(messageOf(thrown));
  }
  const file = flags['admission-control-config-file'];
  if (file === '') return { ...names, configuration: new Map() };
  const plugins = await readParsed(file, 'an AdmissionConfiguration', (text) =>
    parseAdmissionConfiguration(text, vocabulary),
  );
  const configuration = new Map<string, unknown>();
  for (const { name, path, inline } of plugins) {
    const from = path === '' ? undefined : isAbsolute(path) ? path : resolve(dirname(file), path);
    configuration.set(
      name,
      from === undefined ? inline : await readParsed(from, 'YAML or JSON', parseYamlFile),
    );
  }
  return { ...names, configuration };
}

/** Entry of an `AdmissionConfiguration`. */
export interface PluginConfiguration {
  readonly name: string;
  /** Path of the configuration file; '' for an inline configuration. */
  readonly path: string;
  /** Inline configuration; undefined for a configuration in a file. */
  readonly inline: unknown;
}

/**
 * Parses an `AdmissionConfiguration` in YAML or JSON:
 * https://kubernetes.io/docs/reference/config-api/apiserver-config.v1/
 *
 * Throws an `Error` that names the invalid field.
 */
export function parseAdmissionConfiguration(
  text: string,
  vocabulary: Vocabulary,
): readonly PluginConfiguration[] {
  const parsed = parseYamlFile(text);
  const { apiVersion, kind, plugins = [] } = isObject(parsed) ? parsed : {};
  const versions = [
    vocabulary.apiVersion('apiserver.config', 'v1'),
    `apiserver.${vocabulary.groupSuffix}/v1alpha1`,
  ];
  if (kind !== 'AdmissionConfiguration' || typeof apiVersion !== 'string' || !versions.includes(apiVersion))
    throw new Error(`expected kind AdmissionConfiguration with apiVersion ${versions.join(' or ')}`);
  if (!Array.isArray(plugins)) throw new Error('plugins: expected a list');
  return plugins.map((each: unknown, index) => {
    const { name, path = '', configuration } = isObject(each) ? each : {};
    if (typeof name !== 'string' || name === '') throw new Error(`plugins[${index}].name: expected a name`);
    if (typeof path !== 'string') throw new Error(`plugins[${index}].path: expected the path of a file`);
    return { name, path, inline: configuration ?? undefined };
  });
}

/**
 * Reads the client configurations in the plugin configurations before the plugins are created. Throws if a
 * file is invalid.
 */
async function readConfiguredRemotes(
  choice: AdmissionChoice,
  environment: { readonly vocabulary: Vocabulary; readonly clock: Clock },
): Promise<(path: string) => Remote> {
  const remotes = new Map<string, Remote>();
  if (chosenPlugins(choice).includes(IMAGE_POLICY)) {
    const path = imagePolicyFile(choice.configuration.get(IMAGE_POLICY));
    remotes.set(path, await readRemote(path, environment));
  }
  return (path) => {
    const remote = remotes.get(path);
    if (remote === undefined) throw new CodedError('ERR_FILE', `${path} has not been read`);
    return remote;
  };
}

const IMAGE_POLICY = 'ImagePolicyWebhook';

function imagePolicyFile(configuration: unknown): string {
  try {
    return parseImagePolicy(configuration).kubeConfigFile;
  } catch (cause) {
    throw new AdmissionChoiceError(
      'ERR_ADMISSION_CONFIGURATION',
      `couldn't init admission plugin ${JSON.stringify(IMAGE_POLICY)}: ${messageOf(cause)}`,
      { cause },
    );
  }
}

/** Reads a file in a plugin's configuration synchronously, because plugins are created synchronously. */
function readConfiguredFile(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    throw new CodedError('ERR_FILE', `failed to read ${path}: ${messageOf(cause)}`, { cause });
  }
}
