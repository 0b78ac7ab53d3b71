{{- define "querybell.name" -}}
{{- .Release.Name | trunc 50 | trimSuffix "-" -}}
{{- end }}

{{/* Labels that select the pods of a part: (list $ "api") */}}
{{- define "querybell.selector" -}}
app.kubernetes.io/name: querybell
app.kubernetes.io/instance: {{ (index . 0).Release.Name }}
app.kubernetes.io/component: {{ index . 1 }}
{{- end }}

{{- define "querybell.labels" -}}
{{ include "querybell.selector" . }}
app.kubernetes.io/version: {{ (index . 0).Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ (index . 0).Release.Service }}
helm.sh/chart: {{ (index . 0).Chart.Name }}-{{ (index . 0).Chart.Version }}
{{- end }}

{{- define "querybell.claim" -}}
{{ .Values.data.existingClaim | default (printf "%s-data" (include "querybell.name" .)) }}
{{- end }}

{{/* What the spec of every pod has, besides its volumes. */}}
{{- define "querybell.barePod" -}}
automountServiceAccountToken: false
enableServiceLinks: false
# Reaps the processes that engine hosts leave, which Node as the first process would not.
shareProcessNamespace: true
{{- if .Values.podUserNamespaces }}
hostUsers: false
{{- end }}
securityContext:
  runAsNonRoot: true
  runAsUser: 10001
  runAsGroup: 10001
  fsGroup: 10001
  fsGroupChangePolicy: OnRootMismatch
  seccompProfile: {{- toYaml .Values.seccompProfile | nindent 4 }}
{{- with .Values.image.pullSecrets }}
imagePullSecrets:
  {{- range . }}
  - name: {{ . }}
  {{- end }}
{{- end }}
{{- with .Values.nodeSelector }}
nodeSelector: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.tolerations }}
tolerations: {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{/* The same with the secrets and the data, for all but the public pages. */}}
{{- define "querybell.pod" -}}
{{ include "querybell.barePod" . }}
volumes:
  - name: secrets
    secret:
      secretName: {{ .Values.secretName }}
      defaultMode: 0440
  - name: tmp
    emptyDir: {}
  - name: data
    persistentVolumeClaim: { claimName: {{ include "querybell.claim" . }} }
{{- end }}

{{/* What every container has, besides settings and volumes. */}}
{{- define "querybell.bareContainer" -}}
image: {{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: { drop: [ALL] }
{{- end }}

{{/* The same with the settings and volumes of all but the public pages. */}}
{{- define "querybell.container" -}}
{{ include "querybell.bareContainer" . }}
env:
  - { name: DATABASE_URL_FILE, value: /run/secrets/querybell/database_url }
  - { name: SEALING_KEYS_FILE, value: /run/secrets/querybell/sealing_keys }
  {{- range .Values.optionalSecrets }}
  - { name: {{ upper . }}_FILE, value: /run/secrets/querybell/{{ . }} }
  {{- end }}
  - { name: PUBLIC_URL, value: {{ .Values.publicUrl | quote }} }
  {{- if .Values.publicPages.enabled }}
  - { name: PUBLIC_PAGES_URL, value: {{ .Values.publicPages.url | quote }} }
  {{- end }}
  - { name: TRUSTED_PROXIES, value: {{ .Values.trustedProxies | quote }} }
  - { name: ENGINE_ISOLATION, value: {{ .Values.engineIsolation | quote }} }
  {{- range $name, $value := .Values.settings }}
  - { name: {{ $name }}, value: {{ $value | toString | quote }} }
  {{- end }}
volumeMounts:
  - { name: secrets, mountPath: /run/secrets/querybell, readOnly: true }
  - { name: tmp, mountPath: /tmp }
  - { name: data, mountPath: /data }
{{- end }}

{{/* Pods of a part on different nodes, if possible. */}}
{{- define "querybell.spread" -}}
topologySpreadConstraints:
  - maxSkew: 1
    topologyKey: kubernetes.io/hostname
    whenUnsatisfiable: ScheduleAnyway
    labelSelector:
      matchLabels: {{- include "querybell.selector" . | nindent 8 }}
{{- end }}
