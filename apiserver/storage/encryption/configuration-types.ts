import {
  type Infer,
  int32,
  listOf,
  optional,
  ref,
  required,
  string,
  struct,
  value,
} from '../../../api/schema/index.ts';
import { typeMeta } from '../../../api/types/type-meta.ts';

const Key = struct('apiserver.config.v1.Key', {
  name: required(1, string),
  secret: required(2, string),
});
export interface Key extends Infer<typeof Key> {}

const KeyedProvider = struct('apiserver.config.v1.KeyedProvider', {
  keys: required(1, listOf(ref<Key>(Key))),
});
export interface KeyedProvider extends Infer<typeof KeyedProvider> {}

const Identity = struct('apiserver.config.v1.IdentityConfiguration', {});
export interface Identity extends Infer<typeof Identity> {}

const Kms = struct('apiserver.config.v1.KMSConfiguration', {
  name: value(1, string),
  endpoint: value(2, string),
  cachesize: optional(3, int32),
  timeout: optional(4, string),
});
export interface Kms extends Infer<typeof Kms> {}

const ProviderConfiguration = struct('apiserver.config.v1.ProviderConfiguration', {
  aesgcm: optional(1, ref<KeyedProvider>(KeyedProvider)),
  aescbc: optional(2, ref<KeyedProvider>(KeyedProvider)),
  secretbox: optional(3, ref<KeyedProvider>(KeyedProvider)),
  identity: optional(4, ref<Identity>(Identity)),
  kms: optional(5, ref<Kms>(Kms)),
});
export interface ProviderConfiguration extends Infer<typeof ProviderConfiguration> {}

const ResourceConfiguration = struct('apiserver.config.v1.ResourceConfiguration', {
  resources: required(1, listOf(string)),
  providers: required(2, listOf(ref<ProviderConfiguration>(ProviderConfiguration))),
});
export interface ResourceConfiguration extends Infer<typeof ResourceConfiguration> {}

/**
 * Schema of an encryption configuration file
 * (https://github.com/kubernetes/kubernetes/blob/release-1.24/staging/src/k8s.io/apiserver/pkg/apis/config/v1/types.go).
 */
export const EncryptionConfiguration = struct('apiserver.config.v1.EncryptionConfiguration', {
  ...typeMeta,
  resources: required(1, listOf(ref<ResourceConfiguration>(ResourceConfiguration))),
});
export interface EncryptionConfiguration extends Infer<typeof EncryptionConfiguration> {}
