module dray.dev/dray/tests/oracle/cases

go 1.26.0
