# Plays a session of the Ruby client and prints a JSON line per step: {"step": ..., "value": ...} or {"step": ..., "error": ...}.
# Takes the path of the kubeconfig file.
require 'json'
require 'kubeclient'

def step(name)
  value = begin
    { value: yield }
  rescue Kubeclient::HttpError => e
    { error: [e.error_code, e.message] }
  rescue StandardError => e
    { error: "#{e.class}: #{e.message}" }
  end
  puts JSON.generate({ step: name }.merge(value))
  $stdout.flush
end

CONTEXT = Kubeclient::Config.read(ARGV.fetch(0)).context
def client(group, version)
  Kubeclient::Client.new("#{CONTEXT.api_endpoint}#{group}", version,
                         ssl_options: CONTEXT.ssl_options, auth_options: CONTEXT.auth_options)
end

def config_map(name, data = {})
  Kubeclient::Resource.new(apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: name, namespace: 'default' }, data: data)
end

core = client('', 'v1')
step('namespaces') { core.get_namespaces.map { |each| each.metadata.name }.sort }
step('entities') { core.all_entities(as: :parsed).keys.sort }

seen = []
watcher = core.watch_config_maps(namespace: 'default', resource_version: core.get_config_maps(namespace: 'default').resourceVersion)
thread = Thread.new do
  watcher.each do |event|
    seen << [event.type, event.object.metadata.name]
    break if event.type == 'DELETED'
  end
end

step('create') { core.create_config_map(config_map('ruby', a: 'b')).data.to_h }
step('patch') { core.patch_config_map('ruby', { data: { c: 'd' } }, 'default').data.to_h }
step('merge') { core.merge_patch_config_map('ruby', { data: { c: nil } }, 'default').data.to_h }
step('json patch') { core.json_patch_config_map('ruby', [{ op: 'add', path: '/data/e', value: 'f' }], 'default').data.to_h }
step('update') do
  object = core.get_config_map('ruby', 'default')
  object.data[:g] = 'h'
  core.update_config_map(object).data.to_h
end
step('outdated update') do
  object = core.get_config_map('ruby', 'default')
  object.metadata.resourceVersion = '1'
  core.update_config_map(object).data.to_h
end
step('pages') do
  first = core.get_config_maps(namespace: 'default', limit: 1)
  rest = core.get_config_maps(namespace: 'default', limit: 100, continue: first.continue)
  [first.size, (first.to_a + rest.to_a).map { |each| each.metadata.name }.include?('ruby')]
end
step('select') { core.get_config_maps(namespace: 'default', field_selector: 'metadata.name=ruby').size }
step('delete') { core.delete_config_map('ruby', 'default').status }
thread.join(20)
step('watch') { seen.select { |_, name| name == 'ruby' }.map(&:first) }

apps = client('/apis/apps', 'v1')
step('deployment') do
  template = { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'c', image: 'i' }] } }
  apps.create_deployment(
    Kubeclient::Resource.new(metadata: { name: 'web', namespace: 'default' },
                             spec: { replicas: 0, selector: { matchLabels: { app: 'web' } }, template: template })
  ).spec.strategy.type
end
step('nothing there') { core.get_pod('nothing', 'default') }
step('log of nothing') { core.get_pod_log('nothing', 'default') }
