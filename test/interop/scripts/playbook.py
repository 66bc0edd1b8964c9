"""Runs a playbook of Ansible's kubernetes.core and prints a JSON line per task: {"step": ..., "value": ...} or {"step": ..., "error": ...}.

The value is true if the task changed anything, or the names that a reading task returned; the error is the reported reason.
Takes the path of the kubeconfig file.
"""
import json
import os
import subprocess
import sys

here = os.path.dirname(os.path.abspath(__file__))
environment = {
    **os.environ,
    "ANSIBLE_HOME": os.path.join(os.path.dirname(sys.argv[1]), "ansible"),
    "ANSIBLE_LOCALHOST_WARNING": "false",
    "ANSIBLE_STDOUT_CALLBACK": "ansible.posix.json",
    "K8S_AUTH_KUBECONFIG": sys.argv[1],
    "LC_ALL": "C.UTF-8",
}
command = [sys.executable, "-m", "ansible", "playbook", os.path.join(here, "playbook.yml")]
run = subprocess.run(
    [*command, "-e", "ansible_python_interpreter=" + sys.executable],
    env=environment, capture_output=True, text=True,
)
if not run.stdout.lstrip().startswith("{"):
    sys.exit(run.stdout + run.stderr)
for play in json.loads(run.stdout)["plays"]:
    for task in play["tasks"]:
        told = task["hosts"]["localhost"]
        outcome = {"value": told.get("changed")}
        if "resources" in told:
            outcome = {"value": [each["metadata"]["name"] for each in told["resources"]]}
        if told.get("failed"):
            outcome = {"error": told.get("reason") or told.get("msg")}
        print(json.dumps({"step": task["task"]["name"], **outcome}), flush=True)
