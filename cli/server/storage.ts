import { openEtcdStorage } from '../../apiserver/storage/etcd/index.ts';
import {
  type Storage,
  checkObject,
  openLmdbStorage,
  stampResourceVersion,
} from '../../apiserver/storage/index.ts';
import type { Environment } from '../../base/environment.ts';
import type { Scheme } from '../../api/kinds/index.ts';
import { readEncryption } from './encryption.ts';
import { readRequired } from '../files/files.ts';
import { type FlagValues, UsageError, duration, filePair, list, text } from '../flags/flags.ts';
import { readKeyPair } from '../files/live-files.ts';

/** Flags of the object store, named as in release 1.24. */
export const storageFlags = {
  'etcd-servers': list(
    [],
    'addresses (https://host:port) of an etcd for the objects, which several API servers can share; default the data folder',
  ),
  'etcd-prefix': text('/store', 'prefix of all keys in etcd'),
  'etcd-cafile': text('', "PEM bundle that verifies etcd; default the machine's roots"),
  'etcd-certfile': text('', 'PEM client certificate for etcd'),
  'etcd-keyfile': text('', 'PEM key of --etcd-certfile'),
  'encryption-provider-config': text(
    '',
    'EncryptionConfiguration, which resources are encrypted in the store and with which keys; default none is',
  ),
  'store-compaction-interval': duration(
    '5m',
    'interval at which the store compacts the history of the previous interval; 0 keeps it up to the size limits',
  ),
};

type StorageFlags = FlagValues<typeof storageFlags>;

/**
 * Opens the store that the flags select. Throws if another process uses the store or etcd is unreachable.
 * @param path location of the store in the data directory
 */
export async function openStorage(
  flags: StorageFlags,
  path: string,
  { clock, log, random, scheme }: Environment & { readonly scheme: Scheme },
): Promise<Storage> {
  const transformer = await readEncryption(flags['encryption-provider-config'], { scheme, random });
  const stamp = stampResourceVersion;
  const endpoints = flags['etcd-servers'];
  if (endpoints.length === 0) return openLmdbStorage({ path, stamp, transformer });
  for (const endpoint of endpoints) checkEndpoint(endpoint);
  const prefix = flags['etcd-prefix'].replace(/\/+$/, '');
  if (!prefix.startsWith('/'))
    throw new UsageError(`--etcd-prefix is ${flags['etcd-prefix']}; expected / followed by a name`);
  const check = checkObject;
  const tls = await readTls(flags);
  return openEtcdStorage({ endpoints, prefix, stamp, transformer, check, clock, log, tls });
}

function checkEndpoint(endpoint: string): void {
  const { protocol, pathname } = URL.canParse(endpoint) ? new URL(endpoint) : { protocol: '', pathname: '' };
  if (!/^https?:$/.test(protocol) || pathname !== '/')
    throw new UsageError(`--etcd-servers has ${endpoint}, it must be https://host:port or http://host:port`);
}

async function readTls(flags: StorageFlags) {
  const authority = flags['etcd-cafile'];
  const files = filePair(flags, 'etcd-certfile', 'etcd-keyfile');
  const pair = files && (await readKeyPair(...files));
  return {
    ...(authority === '' ? {} : { ca: await readRequired(authority) }),
    ...(pair && { cert: pair.certificate, key: pair.key }),
  };
}
